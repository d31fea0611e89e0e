import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Modal } from '../ui/dialogs.tsx'
import { ErrorNote } from '../ui/elements.tsx'
import { JsonForm } from './json-form.tsx'

type AccountChange = Parameters<TenantControl['update']>[0]

/** Edits a part of the account as JSON, in the shape of the control plane. */
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
