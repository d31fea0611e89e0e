import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Modal } from '../ui/dialogs.tsx'
import { ErrorNote, Field } from '../ui/elements.tsx'

type AccountChange = Parameters<TenantControl['update']>[0]

/** Edits a part of the account as JSON, in the control plane's format. */
export function EditButton<Value>(props: {
  readonly tenant: string
  readonly name: string
  readonly label?: 'Add'
  readonly value: Value
  readonly change: (value: Value) => AccountChange
}) {
  const { label = 'Edit' } = props
  const [open, setOpen] = useState(false)
  const save = useAction(
    props.tenant,
    async (value: Value) => {
      await sandbox.control(props.tenant).update(props.change(value))
      setOpen(false)
    },
    'Saved.',
  )
  return (
    <>
      <button type="button" className="small" onClick={() => setOpen(true)}>
        {label} <span className="visually-hidden">{props.name}</span>
      </button>
      <Modal title={`${label}: ${props.name}`} kind="large" open={open} onOpenChange={setOpen}>
        <JsonForm value={props.value} onSave={value => save.mutate(value as Value)} onCancel={() => setOpen(false)} />
        <ErrorNote error={save.error} />
      </Modal>
    </>
  )
}

/** Edits a value as JSON. */
function JsonForm(props: {
  readonly value: unknown
  readonly onSave: (value: unknown) => void
  readonly onCancel: () => void
}) {
  const [text, setText] = useState(() => JSON.stringify(props.value, null, 2))
  const [problem, setProblem] = useState<string>()
  const save = () => {
    try {
      const value: unknown = JSON.parse(text)
      setProblem(undefined)
      props.onSave(value)
    } catch (error) {
      setProblem(`This isn't valid JSON: ${(error as Error).message}`)
    }
  }
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        save()
      }}
    >
      <Field label="JSON" hint={problem}>
        {ids => (
          <textarea
            {...ids}
            rows={18}
            spellCheck={false}
            aria-invalid={problem !== undefined}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="actions">
        <button type="button" onClick={props.onCancel}>
          Cancel
        </button>
        <button type="submit" className="primary">
          Save
        </button>
      </div>
    </form>
  )
}
