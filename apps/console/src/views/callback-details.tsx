import type { Callback } from '@lead-distribution/control-client'
import { Link } from 'react-router'
import { formatHold, formatMs } from '../data/format.ts'
import { Badge, HttpStatus, StatusBadge, Time } from '../ui/elements.tsx'

/** The details of a callback: its state, its lead, its target and its attempts. */
export function CallbackDetails({ tenant, callback }: { readonly tenant: string; readonly callback: Callback }) {
  return (
    <>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StatusBadge word={callback.state} />
          {callback.held && <Badge tone="warn">{formatHold(callback.held)}</Badge>}
          {callback.synthetic && <Badge tone="info">Synthetic</Badge>}
        </dd>
        <dt>Lead</dt>
        <dd>
          <Link to={`/${tenant}/leads/${callback.lead_id}`}>{callback.lead_id}</Link>
        </dd>
        <dt>To</dt>
        <dd>
          <code>{callback.url}</code>
        </dd>
      </dl>
      <AttemptTable attempts={callback.attempts} />
    </>
  )
}

function AttemptTable({ attempts }: Pick<Callback, 'attempts'>) {
  if (attempts.length === 0) return <p className="muted">Not sent yet.</p>
  return (
    <table className="plain-table">
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col">Response</th>
          <th scope="col">Duration</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(({ at, status, error, ms, fault_id }) => (
          <tr key={at}>
            <td>
              <Time at={at} />
            </td>
            <td>
              {status !== undefined && <HttpStatus status={status} />} {error}{' '}
              {fault_id && <Badge tone="info">Fault</Badge>}
            </td>
            <td>{formatMs(ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
