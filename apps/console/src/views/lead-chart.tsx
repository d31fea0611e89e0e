import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { JournalEntry, Lead } from '../data/entries.ts'
import { formatGap, shortId } from '../data/format.ts'
import { type ChartStep, chartLanes, outcomeOfLead, stepsOf } from '../data/lead-chart.ts'
import { type ChartLine, layOut, measures, type Panel, type PlacedStep } from '../data/lead-chart-layout.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card } from '../ui/elements.tsx'
import { saveImage } from '../ui/save-image.ts'
import { toastError } from '../ui/toasts.tsx'
import { useWidth } from '../ui/use-width.ts'
import './lead-chart.css'

/** The width of a downloaded image, and the space around its drawing and above it, in pixels. */
const image = { width: 960, margin: 28, head: 92, foot: 30 }

/** The maximum number of drawn steps. The list below has all of them. */
const maxDrawn = 80

/** A lead's history drawn to scale. The list below has the same as text. */
export function LeadChart({
  lead,
  submissions,
}: {
  readonly lead: Lead
  readonly submissions: readonly JournalEntry[]
}) {
  const [isSaving, setSaving] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const picture = useRef<SVGSVGElement>(null)
  const width = useWidth(frame)
  const all = stepsOf(lead, submissions)
  const steps = all.slice(0, maxDrawn)
  useLayoutEffect(() => {
    if (!isSaving || !picture.current) return
    saveImage(picture.current, `lead-${lead.lead_id.slice(-8)}.png`)
      .catch(toastError)
      .finally(() => setSaving(false))
  }, [isSaving, lead.lead_id])
  return (
    <Card
      title="Timeline"
      actions={
        <>
          <CopyButton small label="Copy link" text={() => location.href} />
          <button type="button" className="small" disabled={isSaving} onClick={() => setSaving(true)}>
            Download as image
          </button>
        </>
      }
    >
      <div ref={frame} className="lead-chart">
        {width > 0 && <Drawing steps={steps} width={width} />}
      </div>
      {all.length > steps.length && (
        <p className="muted">
          The first {steps.length} of {all.length} steps. The list below has all of them.
        </p>
      )}
      {isSaving && (
        <div className="lead-chart unseen">
          <Picture picture={picture} lead={lead} steps={steps} />
        </div>
      )}
    </Card>
  )
}

let context: CanvasRenderingContext2D | null | undefined

/** Returns the width of a label in pixels. */
function measureText(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return text.length * 7
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`
  return Math.ceil(context.measureText(text).width)
}

function Drawing({ steps, width }: { readonly steps: readonly ChartStep[]; readonly width: number }) {
  const { height, lines } = layOut(steps, width, measureText)
  return (
    <svg
      role="img"
      aria-label="Timeline, drawn to scale. The list under What happened has the same steps."
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <Lines lines={lines} width={width} />
    </svg>
  )
}

/** The drawing with its title, the outcome and the time. It names no customer. */
function Picture(props: {
  readonly picture: RefObject<SVGSVGElement | null>
  readonly lead: Lead
  readonly steps: readonly ChartStep[]
}) {
  const { picture, lead, steps } = props
  const { margin, head, foot } = image
  const width = image.width - 2 * margin
  const { height, lines } = layOut(steps, width, measureText)
  const ends = steps.map(({ at, ms }) => at + ms)
  const length = formatGap(Math.max(...ends) - Math.min(...steps.map(({ at }) => at)))
  const whole = head + height + foot
  return (
    <svg ref={picture} aria-hidden="true" width={image.width} height={whole} viewBox={`0 0 ${image.width} ${whole}`}>
      <rect className="page" width={image.width} height={whole} />
      <text className="title" x={margin} y={42}>
        {outcomeOfLead(lead)}
      </text>
      <text className="note" x={margin} y={64}>
        {`Lead ${shortId(lead.lead_id)}, received ${lead.received_at.slice(0, 19).replace('T', ' ')} UTC. From first to last step: ${length}.`}
      </text>
      <g transform={`translate(${margin} ${head})`}>
        <Lines lines={lines} width={width} />
      </g>
    </svg>
  )
}

function Lines({ lines, width }: { readonly lines: readonly ChartLine[]; readonly width: number }) {
  return lines.map(line => (
    <g key={line.y}>
      {line.after !== undefined && <Pause x={0} y={line.y - measures.divider / 2} width={width} label={line.after} />}
      {line.panels.map(panel => (
        <PanelFrame key={panel.x} panel={panel} line={line} />
      ))}
      {line.breaks.map(each => (
        <Pause key={each.x} y={(line.top + line.y + line.height) / 2} {...each} />
      ))}
      {line.panels.map(panel => (
        <PanelSteps key={panel.x} steps={panel.steps} />
      ))}
      {line.lanes.map(({ lane, nameAt }) => (
        <text key={lane} className="name" {...nameAt}>
          {chartLanes[lane]}
        </text>
      ))}
    </g>
  ))
}

/** A break of the axis with the length of the pause. */
function Pause({ x, y, width, label }: { x: number; y: number; width: number; label: string }) {
  return (
    <>
      <path className="pause" d={`M${x + 6} ${y}h${width - 12}`} />
      <text className="pause" x={x + width / 2} y={y + 4}>
        {label}
      </text>
    </>
  )
}

/** The background of a burst: its times, its ticks and its lanes. */
function PanelFrame({ panel, line }: { readonly panel: Panel; readonly line: ChartLine }) {
  const { x, width, start, ticks } = panel
  const { top } = line
  const height = line.y + line.height - top
  return (
    <>
      <rect className="panel" x={x} y={top} width={width} height={height} rx={8} />
      <text className="time" x={x + measures.side} y={line.y + 17}>
        {start}
      </text>
      {ticks.map(tick => (
        <g key={tick.x}>
          <path className="tick" d={`M${tick.x} ${top}v${height}`} />
          <text className="tick" x={tick.x} y={top - 7}>
            {tick.label}
          </text>
        </g>
      ))}
      {line.lanes.slice(1).map(({ lane, y }) => (
        <path key={lane} className="lane" d={`M${x} ${y}h${width}`} />
      ))}
    </>
  )
}

/** The steps of a burst, each with a line from the step that caused it. */
function PanelSteps({ steps }: { readonly steps: readonly PlacedStep[] }) {
  const causes = new Map(steps.map(step => [step.key, step]))
  return (
    <>
      {steps.map(step => {
        const cause = step.cause === undefined ? undefined : causes.get(step.cause)
        return cause && <path key={step.key} className="cause" d={pathBetween(cause, step)} />
      })}
      {steps.map(step => (
        <Step key={step.key} step={step} />
      ))}
    </>
  )
}

function Step({ step }: { readonly step: PlacedStep }) {
  const { x, y, width, ms, tone, label, note, isDue } = step
  const height = measures.mark
  const textAt = x + width + measures.text
  return (
    <g className={tone}>
      <rect
        className={isDue ? 'mark due' : 'mark'}
        x={x}
        y={y - height / 2}
        width={width}
        height={height}
        rx={ms > 0 ? Math.min(3, width / 2) : height / 2}
      />
      <text className="label" x={textAt} y={y + 4}>
        {label}
      </text>
      {note !== undefined && (
        <text className="note" x={textAt + measureText(`${label} `)} y={y + 4}>
          {note}
        </text>
      )}
    </g>
  )
}

/** Leads down from the start of a step to the step that it caused. */
function pathBetween(cause: PlacedStep, step: PlacedStep): string {
  const [x, end] = [startOf(cause), startOf(step)]
  return `M${x} ${cause.y}V${step.y}H${end}`
}

const startOf = ({ x, ms }: PlacedStep) => (ms > 0 ? x + 1.5 : x + measures.mark / 2)
