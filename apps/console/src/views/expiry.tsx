import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { FormModal } from '../ui/dialogs.tsx'
import { Field, Time } from '../ui/elements.tsx'

/** When the tenant is deleted by itself, in real time, and how to change that. */
export function Expiry({ tenant, at }: { readonly tenant: string; readonly at: string | undefined }) {
  const [open, setOpen] = useState(false)
  const [after, setAfter] = useState('')
  const save = useAction(
    tenant,
    async () => {
      await sandbox.control(tenant).update({ expires_in: after.trim() || null })
      setOpen(false)
    },
    'Saved.',
  )
  return (
    <>
      {at === undefined ? (
        'Never'
      ) : (
        <span>
          <Time at={at} /> UTC
        </span>
      )}
      <button
        type="button"
        className="small"
        onClick={() => {
          save.reset()
          setOpen(true)
        }}
      >
        Change <span className="visually-hidden">when the tenant is deleted</span>
      </button>
      <FormModal
        title={`When is ${tenant} deleted?`}
        about="An expired tenant is deleted with everything in it. Expiry uses real time, not the tenant's clock."
        open={open}
        onOpenChange={setOpen}
        send="Save"
        action={save}
      >
        <Field label="Deleted after" hint="A duration from now, such as PT2H or P7D. If empty, never.">
          {ids => <input {...ids} value={after} onChange={event => setAfter(event.target.value)} />}
        </Field>
      </FormModal>
    </>
  )
}
