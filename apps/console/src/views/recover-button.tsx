import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { FormModal } from '../ui/dialogs.tsx'
import { Field } from '../ui/elements.tsx'
import { toast } from '../ui/toasts.tsx'

/** What is offered at first: longer ago than most failures. */
const initialSince = 'P30D'

/** Sends every callback again that failed since a time, as after an outage of the receiver. */
export function RecoverButton({ tenant }: { readonly tenant: string }) {
  const [open, setOpen] = useState(false)
  const [since, setSince] = useState(initialSince)
  const recover = useAction(tenant, async () => {
    const { callbacks } = await sandbox.control(tenant).callbacks.recover({ since: since.trim() })
    setOpen(false)
    toast(callbacks.length === 1 ? '1 callback was sent again.' : `${callbacks.length} callbacks were sent again.`)
  })
  return (
    <>
      <button
        type="button"
        onClick={() => {
          recover.reset()
          setOpen(true)
        }}
      >
        Send failed again
      </button>
      <FormModal
        title="Send failed callbacks again"
        about="Use this after a receiver outage. Every callback whose last attempt failed since then is sent once more."
        open={open}
        onOpenChange={setOpen}
        send="Send again"
        action={recover}
      >
        <Field
          label="Failed since"
          hint="A duration before the tenant's current time, such as PT24H, or a date-time with a time zone, such as 2026-03-01T10:00:00Z."
        >
          {ids => <input {...ids} required value={since} onChange={event => setSince(event.target.value)} />}
        </Field>
      </FormModal>
    </>
  )
}
