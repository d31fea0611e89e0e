import { type FieldIssue, isSameJson } from '@lead-distribution/contract'
import { type Account, ControlError, type TenantControl } from '@lead-distribution/control-client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { formatValue } from '../data/format.ts'
import { valueAt } from '../data/json.ts'
import { liveKey, useAction, useTenant } from '../data/live.ts'
import { readControlDocument } from '../data/sandbox.ts'
import { accountShape, type Edit, editsBetween, keeping, type Schema, schemaAt, withEdits } from '../data/schema.ts'
import { keepUnsaved, type Unsaved, useUnsaved } from '../data/unsaved.ts'
import { Badge, ErrorNote, Note } from '../ui/elements.tsx'
import { Modal } from '../ui/modal.tsx'
import { ShapeForm } from '../ui/shape-form.tsx'
import { dismissError } from '../ui/toasts.tsx'
import { WhatIf } from './what-if.tsx'

/** A part of the account that a form edits. */
export interface AccountPart {
  /** Its path in a change of the account, such as `settings` or `products.0`. */
  readonly at: string
  /** The field that identifies it among others, and its value. Once the account has the part, its id can't be edited. */
  readonly id?: readonly [field: string, value: string]
  /** Returns the part of an account; undefined if the account doesn't have it. */
  readonly read: (account: Account) => unknown
  /** The value to start from if the account doesn't have the part yet. */
  readonly initial?: unknown
}

interface AccountFormProps {
  readonly account: Account
  readonly part: AccountPart
  /** The name of the edited part, for screen readers. */
  readonly name: string
  readonly onSaved?: () => void
}

/** Edits a part of the account, by fields or as JSON. The changes are kept until they are saved or discarded. */
export function AccountForm(props: AccountFormProps) {
  const tenant = useTenant()
  const { data: shape, error } = useQuery({
    queryKey: ['account-shape'],
    queryFn: async () => accountShape(await readControlDocument()),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (shape)
    return (
      <ReadyForm key={unsavedKey(tenant, props.part)} {...props} schema={schemaAt(shape, props.part.at.split('.'))} />
    )
  return <ErrorNote error={error} />
}

const noIssues: readonly FieldIssue[] = []

function ReadyForm({ account, part, name, onSaved, schema }: AccountFormProps & { readonly schema: Schema }) {
  const tenant = useTenant()
  const key = unsavedKey(tenant, part)
  const id = identityOf(part)
  const client = useQueryClient()
  // A form that starts over shows no earlier issues.
  const [round, setRound] = useState(0)
  const unsaved = useUnsaved(key)
  const { edits, json }: Unsaved = unsaved ?? { edits: [] }
  const current = part.read(account)
  const base = current ?? part.initial
  const value = withEdits(base, edits)
  const kept = useMemo(() => withIdentity(keeping(schema, base), part), [schema, base, part])
  const change = changeAt(part.at, current === undefined ? value : withEdits(id && { [id[0]]: id[1] }, edits))
  const conflicts = current === undefined ? [] : conflictsOf(edits, current)
  const keep = (changes: Unsaved) => keepUnsaved(key, changes.edits.length > 0 || changes.json ? changes : undefined)
  const startOver = () => {
    keepUnsaved(key, undefined)
    setRound(round + 1)
  }
  const save = useAction(async control => {
    // Overwrites only what this form shows.
    const stored = part.read(await control.show())
    if (current !== undefined && edits.some(({ path }) => !isSameJson(valueAt(stored, path), valueAt(current, path))))
      throw new ChangedElsewhere()
    const saved = await control.update(change)
    // At once, so that the form doesn't show the old value until the account is refetched.
    client.setQueryData(liveKey(tenant, 'account'), saved)
    startOver()
    onSaved?.()
  }, 'Saved.')
  const refused = useMemo(() => issuesAt(save.error, part.at), [save.error, part.at])
  const isInFields = refused.length > 0 && refused.every(({ field }) => isField(schema, field))
  useEffect(() => {
    if (isInFields) dismissError(save.error)
  }, [isInFields, save.error])
  const edit = (next: unknown, text?: string) => {
    // What is being saved is the change as it was sent.
    if (save.isPending) return
    if (save.isError) save.reset()
    const before = json?.before ?? base
    if (text !== undefined) return keep({ edits, json: { text, before } })
    const earlier = ({ path }: Edit) => edits.find(each => isSameJson(each.path, path))
    keep({ edits: editsBetween(schema, before, next).map(each => ({ ...each, ...earlier(each), value: each.value })) })
  }
  return (
    <ShapeForm
      key={round}
      label={name}
      schema={kept}
      value={value}
      text={json?.text}
      onChange={edit}
      refused={isInFields ? refused : noIssues}
      onSave={() => save.mutate()}
    >
      <div className="actions shape-actions">
        {conflicts.length > 0 && !save.isPending && (
          <Conflicts
            conflicts={conflicts}
            name={name}
            onGiveUp={path => keep({ edits: edits.filter(each => !isSameJson(each.path, path)) })}
          />
        )}
        {!isInFields && <ErrorNote error={save.error} />}
        {edits.length > 0 && json === undefined && current !== undefined && <WhatIf change={change} />}
        {unsaved !== undefined && (
          <button
            type="button"
            onClick={() => {
              save.reset()
              startOver()
            }}
          >
            Discard changes
          </button>
        )}
        <button
          type="submit"
          className="primary"
          disabled={(unsaved === undefined && current !== undefined) || save.button.disabled}
        >
          Save <span className="visually-hidden">{name}</span>
        </button>
      </div>
    </ShapeForm>
  )
}

/** The edited fields that somebody else changed, each with a button to give up the edit. */
function Conflicts(props: {
  readonly conflicts: ReturnType<typeof conflictsOf>
  readonly name: string
  readonly onGiveUp: (path: Edit['path']) => void
}) {
  const { conflicts, name, onGiveUp } = props
  return (
    <Note tone="warn">
      <p role="status">Somebody else changed what you are editing. Saving overwrites it.</p>
      <ul className="stack">
        {conflicts.map(({ path, now }) => (
          <li key={path.join('.')}>
            <code>{path.join('.') || name}</code> is now {shortened(formatValue(now))}.{' '}
            <button
              type="button"
              className="small"
              onClick={({ currentTarget }) => {
                // The button disappears with its conflict.
                currentTarget.form?.querySelector('button')?.focus({ preventScroll: true })
                onGiveUp(path)
              }}
            >
              Use this value <span className="visually-hidden">of {path.join('.') || name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Note>
  )
}

/** Opens a dialog that edits a part of the account, and says if it has unsaved changes. */
export function EditButton(props: AccountFormProps & { readonly label?: 'Add' }) {
  const { part, name, label = 'Edit', onSaved } = props
  const tenant = useTenant()
  const [open, setOpen] = useState(false)
  const isUnsaved = useUnsaved(unsavedKey(tenant, part)) !== undefined
  return (
    <>
      {isUnsaved && <Badge tone="warn">Unsaved</Badge>}
      <button type="button" className="small" onClick={() => setOpen(true)}>
        {label} <span className="visually-hidden">{name}</span>
      </button>
      {open && (
        <Modal title={`${label}: ${name}`} kind="large" onClose={() => setOpen(false)}>
          <AccountForm
            {...props}
            onSaved={() => {
              setOpen(false)
              onSaved?.()
            }}
          />
        </Modal>
      )}
    </>
  )
}

/** Somebody else changed the part between two updates of this page. */
class ChangedElsewhere extends Error {
  override readonly name = 'ChangedElsewhere'
  override readonly message = 'Somebody else changed this in the meantime. Nothing was saved.'
}

/** Returns the key of the unsaved changes of a part. */
export function unsavedKey(tenant: string, { at, id, initial }: AccountPart): string {
  return [tenant, at, initial === undefined ? id?.[1] : 'new'].join(' ')
}

/** Returns the id of a part that the account has. */
const identityOf = ({ id, initial }: AccountPart) => (initial === undefined ? id : undefined)

/** Accepts only the id that the part has. */
function withIdentity(schema: Schema, part: AccountPart): Schema {
  const id = identityOf(part)
  if (!id) return schema
  const [field, value] = id
  const own = schema.properties?.[field]
  const property = { ...own, readOnly: true, pattern: `^${value}$`, 'x-issue': 'cannot change' }
  return { ...schema, properties: { ...schema.properties, [field]: property } }
}

type AccountChange = Parameters<TenantControl['update']>[0]

function changeAt(path: string, part: unknown): AccountChange {
  const [name = '', index] = path.split('.')
  return { [name]: index === undefined ? part : [part] }
}

/** Returns the issues that the sandbox found, by their paths below a part of the account. */
function issuesAt(error: unknown, at: string): readonly FieldIssue[] {
  if (!ControlError.is(error)) return noIssues
  return error.details.map(({ field, issue }) => ({
    field: field === at ? '' : field.startsWith(`${at}.`) ? field.slice(at.length + 1) : field,
    issue,
  }))
}

function isField(schema: Schema, path: string): boolean {
  return path !== '' && schemaAt(schema, path.split('.')).type !== undefined
}

/** Returns the edits of fields that somebody else changed since, with their current values. */
function conflictsOf(edits: readonly Edit[], current: unknown) {
  return edits
    .map(edit => ({ ...edit, now: valueAt(current, edit.path) }))
    .filter(({ before, value, now }) => !isSameJson(now, before) && !isSameJson(now, value))
}

const shortened = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
