import type { Callback } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useAccount, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { filled } from '../data/typed.ts'
import { FormModal } from '../ui/dialogs.tsx'
import { Field } from '../ui/elements.tsx'
import { toast } from '../ui/toasts.tsx'

/** The form that sends a changed copy of a callback. */
export function SyntheticCallback(props: {
  readonly tenant: string
  readonly callback: Callback
  readonly onClose: () => void
}) {
  const { tenant, callback, onClose } = props
  const [event, setEvent] = useState(callback.event)
  const [signature, setSignature] = useState('valid')
  const [repeat, setRepeat] = useState('1')
  const [late, setLate] = useState('')
  const isSigned = useAccount(tenant).data?.settings.callback_signature !== 'none'
  const send = useAction(tenant, async () => {
    const { lead_id } = callback
    const { callbacks } = await sandbox.control(tenant).callbacks.send({
      lead_id,
      event: callback.event,
      repeat: Number(repeat),
      ...filled({ late: late.trim() }),
      ...(event !== callback.event && { edit: { event } }),
      ...(signature === 'wrong' && { bad_signature: true }),
    })
    onClose()
    toast(callbacks.length === 1 ? '1 synthetic callback.' : `${callbacks.length} synthetic callbacks.`)
  })
  return (
    <FormModal
      title="Send a changed copy"
      about="It is marked as synthetic, tried once, and changes no other callback."
      open
      onOpenChange={open => {
        if (!open) onClose()
      }}
      send="Send the copy"
      action={send}
    >
      <Field label="Event in its query">
        {ids => <input {...ids} value={event} onChange={({ target }) => setEvent(target.value)} />}
      </Field>
      {isSigned && (
        <Field label="Signature">
          {ids => (
            <select {...ids} value={signature} onChange={({ target }) => setSignature(target.value)}>
              <option value="valid">Valid</option>
              <option value="wrong">Wrong</option>
            </select>
          )}
        </Field>
      )}
      <Field label="How often">
        {ids => (
          <input {...ids} type="number" required value={repeat} onChange={({ target }) => setRepeat(target.value)} />
        )}
      </Field>
      <Field label="How late" hint="A duration on the tenant's clock, such as PT24H. If empty, now.">
        {ids => <input {...ids} value={late} onChange={({ target }) => setLate(target.value)} />}
      </Field>
    </FormModal>
  )
}
