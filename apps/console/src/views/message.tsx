import { formatCount } from '../data/format.ts'
import { indented } from '../data/json.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import './message.css'

/** The number of headers shown without a click. */
const maxOpen = 4

/** The headers of a request, a response or an answer as a table, collapsed if there are many. */
export function Headers(props: {
  /** The message that has these headers, for screen readers. */
  readonly of: string
  readonly headers: Readonly<Record<string, string>>
}) {
  const headers = Object.entries(props.headers)
  if (headers.length === 0) return null
  return (
    <details open={headers.length <= maxOpen}>
      <summary>{formatCount(headers.length, 'header')}</summary>
      <table className="plain-table" aria-label={`Headers of the ${props.of}`}>
        <tbody>
          {headers.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="mono">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** A body as text, indented if it is JSON, with a button that copies it. */
export function Body(props: {
  /** The message that has this body, for screen readers. */
  readonly of: string
  readonly text: string
  /** Says that the body was truncated. */
  readonly cut?: string | false | undefined
}) {
  if (props.text === '') return <p className="muted">No body.</p>
  const text = indented(props.text)
  return (
    <div className="stack">
      <div className="actions ends">
        <span className="muted">Body</span>
        <CopyButton label={`Copy the body of the ${props.of}`} bare text={() => text} />
      </div>
      <pre className="framed sunken">{text}</pre>
      {props.cut && <p className="muted">{props.cut}</p>}
    </div>
  )
}
