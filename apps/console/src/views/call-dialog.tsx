import { Modal } from '../ui/dialogs.tsx'
import { type Call, CallDetails } from './call-details.tsx'

/** A call in a dialog. */
export function CallDialog(props: {
  readonly tenant: string
  readonly call: Call | undefined
  readonly onClose: () => void
}) {
  const { tenant, call } = props
  if (!call) return null
  return (
    <Modal title={`${call.method} ${call.path}`} kind="large" open onOpenChange={open => open || props.onClose()}>
      <CallDetails tenant={tenant} call={call} />
      <div className="actions">
        <button type="button" onClick={props.onClose}>
          Close
        </button>
      </div>
    </Modal>
  )
}
