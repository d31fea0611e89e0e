import { formatGap, formatPreciseTime } from './format.ts'
import { type ChartLane, type ChartStep, chartLanes } from './lead-chart.ts'

/** Steps close to each other in time. They share a scale. */
export interface Burst {
  readonly from: number
  readonly to: number
  readonly steps: readonly ChartStep[]
}

/** A pause up to this length never breaks the axis, in milliseconds. */
const shortMs = 80

/** A pause up to this many times as long as the steps around it doesn't break the axis either. */
const shortFactor = 8

/**
 * Splits steps at long pauses. A burst's scale must show its shortest step next to its longest pause, so each pause is
 * compared with the shorter of the steps around it.
 */
export function burstsOf(steps: readonly ChartStep[]): readonly Burst[] {
  const bursts: { from: number; to: number; steps: ChartStep[] }[] = []
  // The sort is stable, so a cause stays before its effect at the same moment.
  for (const step of steps.toSorted((one, other) => one.at - other.at)) {
    const end = step.at + step.ms
    const last = bursts.at(-1)
    const longest = last && Math.max(shortMs, shortFactor * Math.min(last.to - last.from, step.ms))
    if (last && longest !== undefined && step.at - last.to <= longest) {
      last.to = Math.max(last.to, end)
      last.steps.push(step)
    } else bursts.push({ from: step.at, to: end, steps: [step] })
  }
  return bursts
}

/** Distances between an axis's ticks, in milliseconds. */
const tickMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000]

/** Measures of a chart, in pixels. */
export const measures = {
  /** The width of the lane names, if they are next to the lanes. */
  names: 96,
  /** Heights: the times above the lanes, ticks, a row, a name above its lane, and the gap between lines. */
  times: 26,
  ticks: 16,
  row: 24,
  name: 17,
  divider: 44,
  /** Padding: at a panel's sides, above and below a lane's rows, and between a bar and its texts. */
  side: 12,
  lane: 7,
  text: 7,
  /** The size of a moment, and the minimum width of a bar. */
  mark: 10,
  bar: 3,
  /** The minimum distance between ticks, and the minimum, usual and maximum width of a burst's axis. */
  tick: 74,
  minAxis: 32,
  axis: 96,
  maxAxis: 420,
  /** The maximum width of a step's texts, because advertisers and events may have long names. */
  maxText: 300,
} as const

/** Charts narrower than this have lane names above the lanes, in pixels. */
const narrow = 560

/** A positioned step. */
export interface PlacedStep extends ChartStep {
  readonly x: number
  /** The middle of its row. */
  readonly y: number
  readonly width: number
}

/** A positioned burst. */
export interface Panel {
  readonly x: number
  readonly width: number
  readonly start: string
  readonly ticks: readonly { readonly x: number; readonly label: string }[]
  readonly steps: readonly PlacedStep[]
}

/** A line of a chart: panels side by side, with shared lanes. */
export interface ChartLine {
  readonly y: number
  readonly height: number
  /** The top of its lanes. */
  readonly top: number
  readonly lanes: readonly {
    readonly lane: ChartLane
    readonly y: number
    /** The start of its name's baseline. */
    readonly nameAt: { readonly x: number; readonly y: number }
  }[]
  readonly panels: readonly Panel[]
  /** The pauses between the panels. */
  readonly breaks: readonly { readonly x: number; readonly width: number; readonly label: string }[]
  /** The pause before this line. */
  readonly after?: string
}

/** The layout of a lead's chart, in pixels. */
export interface ChartLayout {
  readonly height: number
  readonly lines: readonly ChartLine[]
}

/** Returns the width of a text in pixels. */
type Measure = (text: string) => number

/**
 * Lays out the steps in lines of the given width. The axis breaks at long pauses, and lines wrap at breaks. Later lines
 * leave out unused lanes.
 */
export function layOut(steps: readonly ChartStep[], width: number, measure: Measure): ChartLayout {
  const isNarrow = width < narrow
  const left = isNarrow ? 0 : measures.names
  const lines: ChartLine[] = []
  let y = 0
  const space = width - left - besideText - measures.minAxis
  const fitting = steps.map(step => shortened(step, Math.min(measures.maxText, space), measure))
  for (const bursts of wrap(burstsOf(fitting), width - left, measure)) {
    const [first] = bursts
    const before = lines.length > 0 && first?.before !== undefined ? first.before : undefined
    if (before !== undefined) y += measures.divider
    const line = layOutLine(bursts, { y, left, width, isNarrow, isFirst: lines.length === 0 }, measure)
    lines.push(before === undefined ? line : { ...line, after: formatGap(before) })
    y += line.height
  }
  return { height: y, lines }
}

/** A panel's width apart from its axis and text. */
const besideText = 2 * measures.side + measures.mark + measures.text

/** Shortens a step's label until its texts fit. */
function shortened(step: ChartStep, width: number, measure: Measure): ChartStep {
  let { label } = step
  while (label.length > 2 && measure(textOf({ ...step, label })) > width) label = `${label.slice(0, -2)}…`
  return { ...step, label }
}

/** A burst with its measures. */
interface SizedBurst extends Burst {
  /** The pause before it, in milliseconds. */
  readonly before: number | undefined
  readonly start: string
  /** The width of its axis and of its panel, in pixels, before the line takes the rest of the width. */
  readonly axis: number
  readonly width: number
}

/** The width of a break within a line. */
const breakWidth = (ms: number, measure: Measure) => measure(formatGap(ms)) + 36

/** Wraps bursts into lines, like words. */
function wrap(bursts: readonly Burst[], width: number, measure: Measure): readonly (readonly SizedBurst[])[] {
  const lines: SizedBurst[][] = []
  let used = Number.POSITIVE_INFINITY
  for (const [place, burst] of bursts.entries()) {
    const previous = bursts[place - 1]
    const before = previous && burst.from - previous.to
    const sized = sizeOf(burst, previous, before, { width, measure })
    const needed = sized.width + breakWidth(before ?? 0, measure)
    if (used + needed <= width) {
      lines.at(-1)?.push(sized)
      used += needed
    } else {
      lines.push([sized])
      used = sized.width
    }
  }
  return lines
}

function sizeOf(
  burst: Burst,
  previous: Burst | undefined,
  before: number | undefined,
  { width, measure }: { width: number; measure: Measure },
): SizedBurst {
  const [day, time] = formatPreciseTime(iso(burst.from)).split(', ')
  const isSameDay = previous !== undefined && iso(previous.from).slice(0, 10) === iso(burst.from).slice(0, 10)
  const start = previous === undefined ? `${day}, ${time} UTC` : isSameDay ? String(time) : `${day}, ${time}`
  const room = width - besideText - Math.max(...burst.steps.map(step => measure(textOf(step))))
  const axis = burst.to > burst.from ? Math.min(measures.axis, Math.max(measures.minAxis, room)) : 0
  const texts = burst.steps.map(step => placeIn(burst, axis, step).x + extentOf(step, burst, axis, measure))
  return { ...burst, before, start, axis, width: Math.max(measure(start), ...texts) + 2 * measures.side }
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Returns a step's position on its burst's axis. */
function placeIn({ from, to }: Burst, axis: number, { at, ms }: ChartStep) {
  const scale = to > from ? axis / (to - from) : 0
  const x = (at - from) * scale
  if (ms > 0) return { x, width: Math.max(measures.bar, ms * scale) }
  return { x: x - measures.mark / 2, width: measures.mark }
}

/** Returns the width of a step with its texts. */
function extentOf(step: ChartStep, burst: Burst, axis: number, measure: Measure): number {
  return placeIn(burst, axis, step).width + measures.text + measure(textOf(step))
}

/** Returns a step's texts, joined. */
const textOf = ({ label, note }: ChartStep) => (note === undefined ? label : `${label} ${note}`)

function layOutLine(
  bursts: readonly SizedBurst[],
  {
    y,
    left,
    width,
    isNarrow,
    isFirst,
  }: { y: number; left: number; width: number; isNarrow: boolean; isFirst: boolean },
  measure: Measure,
): ChartLine {
  const gaps = bursts
    .slice(1)
    .map(({ before = 0 }) => ({ label: formatGap(before), width: breakWidth(before, measure) }))
  const used = sum(bursts.map(each => each.width)) + sum(gaps.map(each => each.width))
  const more = Math.max(0, width - left - used) / bursts.length
  let x = left
  const panels = bursts.map((burst, place) => {
    const panel = {
      burst,
      x,
      width: burst.width + more,
      axis: burst.axis > 0 ? Math.min(measures.maxAxis, burst.axis + more) : 0,
    }
    x += panel.width + (gaps[place]?.width ?? 0)
    return panel
  })
  const rows = panels.map(({ burst, axis }) => rowsOf(burst, axis, measure))
  const lanes: (ChartLine['lanes'][number] & { rowsAt: number })[] = []
  const ticks = panels.map(({ burst, axis }) => ticksOf(burst, axis))
  const top = y + measures.times + (ticks.some(each => each.length > 0) ? measures.ticks : 0)
  let bottom = top
  for (const lane of Object.keys(chartLanes) as ChartLane[]) {
    const count = Math.max(...rows.map(each => each.count(lane)))
    if (count === 0 && !isFirst) continue
    const head = measures.lane + (isNarrow ? measures.name : 0)
    const height = head + Math.max(count, isNarrow ? 0 : 1) * measures.row + measures.lane
    const nameAt = isNarrow
      ? { x: measures.side + measures.mark / 2 + measures.text, y: bottom + measures.lane + 11 }
      : { x: 0, y: bottom + head + measures.row / 2 + 4 }
    lanes.push({ lane, y: bottom, nameAt, rowsAt: bottom + head })
    bottom += height
  }
  const yOf = (lane: ChartLane, row: number) =>
    (lanes.find(each => each.lane === lane)?.rowsAt ?? 0) + (row + 0.5) * measures.row
  return {
    y,
    height: bottom - y,
    top,
    lanes,
    panels: panels.map(({ burst, x, width, axis }, place) => ({
      x,
      width,
      start: burst.start,
      ticks: (ticks[place] ?? []).map(tick => ({ ...tick, x: x + measures.side + tick.x })),
      steps: burst.steps.map((step, index) => {
        const at = placeIn(burst, axis, step)
        return { ...step, x: x + measures.side + at.x, width: at.width, y: yOf(step.lane, rows[place]?.of[index] ?? 0) }
      }),
    })),
    breaks: gaps.map((gap, place) => {
      const panel = panels[place]
      return { ...gap, x: (panel?.x ?? 0) + (panel?.width ?? 0) }
    }),
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** Gives each step the first row of its lane in which neither its bar nor its texts overlap another step's. */
function rowsOf(burst: SizedBurst, axis: number, measure: Measure) {
  const ends: Record<ChartLane, number[]> = { publisher: [], service: [], advertiser: [], receiver: [] }
  const of = burst.steps.map(step => {
    const { x } = placeIn(burst, axis, step)
    const taken = ends[step.lane]
    const free = taken.findIndex(end => end <= x)
    const row = free === -1 ? taken.length : free
    taken[row] = x + extentOf(step, burst, axis, measure) + measures.side
    return row
  })
  return { of, count: (lane: ChartLane) => ends[lane].length }
}

/** Returns the ticks of an axis, without its start. */
function ticksOf({ from, to }: Burst, axis: number) {
  const scale = axis / (to - from)
  const step = tickMs.find(ms => ms * scale >= measures.tick)
  if (step === undefined) return []
  const count = Math.floor((to - from) / step)
  return Array.from({ length: count }, (_, place) => {
    const ms = (place + 1) * step
    return { x: ms * scale, label: `+${formatGap(ms)}` }
  })
}
