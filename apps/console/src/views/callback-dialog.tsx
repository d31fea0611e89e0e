import type { Callback } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { curlOfCallback } from '../data/snippets.ts'
import { CopyButton, Modal } from '../ui/dialogs.tsx'
import { CallbackDetails } from './callback-details.tsx'
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
      <CallbackDetails tenant={tenant} callback={callback} />
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
