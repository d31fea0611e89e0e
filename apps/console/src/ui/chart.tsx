import { type KeyboardEvent, useState } from 'react'
import { Link } from 'react-router'
import { formatNumber } from '../data/format.ts'
import type { Tone } from './elements.tsx'
import './chart.css'

/** A colored part of a bar. */
interface Part {
  readonly tone: Tone
  readonly value: number
}

/** A bar that links to its entries. */
export interface Bar {
  readonly key: string
  /** The subject of the bar, such as a time or a reason. */
  readonly label: string
  /** Its values in words. */
  readonly text: string
  readonly to: string
  readonly parts: readonly Part[]
}

const sumOf = ({ parts }: Pick<Bar, 'parts'>) => parts.reduce((sum, { value }) => sum + value, 0)

/** Horizontal bars, each with its values in words. */
export function BarList({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const highest = Math.max(1, ...bars.map(sumOf))
  return (
    <ul className="bar-list" aria-label={label}>
      {bars.map(({ key, label, text, to, parts }) => (
        <li key={key}>
          <Link to={to}>
            <span>{label}</span> <span className="tabular muted">{text}</span>
            <span className="track">
              {parts.map(({ tone, value }) => (
                <span key={tone} className={`part ${tone}`} style={{ inlineSize: `${(100 * value) / highest}%` }} />
              ))}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/**
 * Vertical bars over time. Those with a value are links: the tab key reaches one, and the arrow keys the others.
 * {@link BarTable} has the same as text.
 */
export function TimeChart(props: {
  readonly label: string
  readonly bars: readonly Bar[]
  /** The texts below the chart, evenly spread. */
  readonly ticks: readonly string[]
}) {
  const { label, bars, ticks } = props
  const highest = Math.max(1, ...bars.map(sumOf))
  const filled = bars.filter(bar => sumOf(bar) > 0)
  const [chosen, setChosen] = useState<string>()
  const reachable = filled.find(({ key }) => key === chosen) ?? filled.at(-1)
  return (
    <div className="time-chart">
      <div className="scale tabular muted" aria-hidden="true">
        {formatNumber(highest)}
      </div>
      <ol aria-label={`${label}. Use the arrow keys to move between bars.`} onKeyDown={moveFocus}>
        {bars.map(bar => (
          <li key={bar.key}>
            {sumOf(bar) > 0 && (
              <Link
                to={bar.to}
                title={`${bar.label}: ${bar.text}`}
                aria-label={`${bar.label}: ${bar.text}`}
                tabIndex={bar === reachable ? 0 : -1}
                onFocus={() => setChosen(bar.key)}
              >
                {bar.parts.map(({ tone, value }) => (
                  <span key={tone} className={`part ${tone}`} style={{ blockSize: `${(100 * value) / highest}%` }} />
                ))}
              </Link>
            )}
          </li>
        ))}
      </ol>
      <div className="ticks line ends tabular muted" aria-hidden="true">
        {ticks.map(tick => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
    </div>
  )
}

/** Moves the focus to another bar. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const from = links.indexOf(document.activeElement as HTMLAnchorElement)
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    Home: 0,
    End: links.length - 1,
  }
  const to = links[steps[event.key] ?? -1]
  if (!to) return
  event.preventDefault()
  to.focus()
}

/** The bars of a chart that have a value, as a table that can be opened. */
export function BarTable(props: { readonly header: string; readonly bars: readonly Bar[] }) {
  return (
    <details className="bar-table">
      <summary>Show as a table</summary>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{props.header}</th>
            <th>Count</th>
          </tr>
        </thead>
        <tbody>
          {props.bars
            .filter(bar => sumOf(bar) > 0)
            .map(({ key, label, text, to }) => (
              <tr key={key}>
                <td>
                  <Link to={to}>{label}</Link>
                </td>
                <td>{text}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}

/** A chart's legend, with totals and links to the entries. */
export function Legend({ items }: { readonly items: readonly (Omit<Bar, 'parts'> & { readonly tone: Tone })[] }) {
  return (
    <ul className="legend actions">
      {items.map(({ key, label, text, to, tone }) => (
        <li key={key}>
          <Link className="line" to={to}>
            <span className={`swatch part ${tone}`} /> {label} <strong className="tabular">{text}</strong>
          </Link>
        </li>
      ))}
    </ul>
  )
}
