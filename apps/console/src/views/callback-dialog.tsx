import type { Callback } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatHold, formatMs } from '../data/format.ts'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { curlOfCallback } from '../data/snippets.ts'
import { CopyButton, Modal } from '../ui/dialogs.tsx'
import { Badge, HttpStatus, StatusBadge, Time } from '../ui/elements.tsx'
import { SyntheticCallback } from './synthetic-callback.tsx'

/** A callback with its attempts. */
export function CallbackDialog(props: {
  readonly tenant: string
  readonly callback: Callback | undefined
  readonly onClose: () => void
}) {
  const { tenant, callback } = props
  const resend = useAction(tenant, (id: string) => sandbox.control(tenant).callbacks.resend(id), 'Sent again.')
  const [isCopying, setIsCopying] = useState(false)
  if (!callback) return null
  if (isCopying) return <SyntheticCallback tenant={tenant} callback={callback} onClose={() => setIsCopying(false)} />
  return (
    <Modal
      title={`Callback for ${callback.event}`}
      kind="large"
      open
      onOpenChange={open => {
        if (!open) props.onClose()
      }}
    >
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
      <div className="actions">
        <CopyButton label="Copy as curl" text={() => curlOfCallback(callback.url)} />
        <button type="button" onClick={props.onClose}>
          Close
        </button>
        <button type="button" onClick={() => setIsCopying(true)}>
          Send a changed copy
        </button>
        <button
          type="button"
          className="primary"
          disabled={resend.isPending}
          onClick={() => resend.mutate(callback.callback_id)}
        >
          Send again
        </button>
      </div>
    </Modal>
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
