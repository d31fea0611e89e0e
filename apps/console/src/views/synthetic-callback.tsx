import type { Callback } from '@lead-distribution/control-client'
import { formatCount } from '../data/format.ts'
import { useAccount } from '../data/live.ts'
import { FormModal } from '../ui/actions.tsx'
import { SelectField, TextField } from '../ui/forms.tsx'
import { toast } from '../ui/toasts.tsx'

const signatures = [
  { value: 'valid', label: 'Valid' },
  { value: 'wrong', label: 'Wrong' },
]

/** The form that sends a changed copy of a callback. */
export function SyntheticCallback(props: { readonly callback: Callback; readonly onClose: () => void }) {
  const { lead_id, event } = props.callback
  const isSigned = useAccount().settings.callback_signature !== 'none'
  return (
    <FormModal
      title="Send a changed copy"
      about="It is marked as synthetic, tried once, and changes no other callback."
      send="Send the copy"
      act={async (control, { changed = '', signature, repeat, late }) => {
        const { callbacks } = await control.callbacks.send({
          leadId: lead_id,
          event,
          repeat: Number(repeat),
          ...(late && { late }),
          ...(changed !== event && { edit: { event: changed } }),
          ...(signature === 'wrong' && { badSignature: true }),
        })
        toast(`${formatCount(callbacks.length, 'synthetic callback')}.`)
      }}
      onClose={props.onClose}
    >
      <TextField label="Event in its query" name="changed" defaultValue={event} />
      {isSigned && <SelectField label="Signature" name="signature" choices={signatures} />}
      <TextField label="How often" name="repeat" type="number" required defaultValue="1" />
      <TextField label="How late" hint="A duration on the tenant's clock, such as PT24H. If empty, now." name="late" />
    </FormModal>
  )
}
