import type { FieldIssue } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { useMemo, useState } from 'react'
import { formatCount, formatWord } from '../data/format.ts'
import { fieldOf, parsedJson, writeField } from '../data/json.ts'
import { fieldAt, fieldsAt, type LeadField } from '../data/lead-shape.ts'
import { useAccount } from '../data/live.ts'
import { Badge, Prose } from '../ui/elements.tsx'
import { SelectField, TextField } from '../ui/forms.tsx'

/** The edited text, and its state. */
interface Editing {
  readonly body: string
  readonly issues: readonly FieldIssue[]
  readonly onChange: (body: string) => void
  /** The text as a value: the last valid one, and the initial one. */
  readonly lead: unknown
  readonly firstLead: unknown
}

/** A group of fields: an object of the lead. */
interface Group {
  readonly id: string
  readonly note: string
  readonly paths: readonly (readonly string[])[]
}

/** The groups that come first and are open, with the most edited fields. */
const openAtFirst: readonly string[] = ['contact', 'product_data']

/** Every field of a lead, by group: the objects in the lead and in its customer, then the ids. */
const groups = groupsOf()

/** The objects and values that the groups are made of, and the customer around some of them. */
const topPaths = new Set(['customer', ...groups.flatMap(({ paths }) => paths.map(path => path.join('.')))])

function groupsOf(): readonly Group[] {
  const top = fieldsAt([]).flatMap(({ name }) =>
    name === 'customer' ? fieldsAt([name]).map(inner => [name, inner.name]) : [[name]],
  )
  const hasFields = (path: readonly string[]) => /^(?:object|list)$/.test(fieldAt(path)?.accepts.type ?? '')
  const objects = top
    .filter(hasFields)
    .map(path => ({ id: path.at(-1) ?? '', note: fieldAt(path)?.note ?? '', paths: [path] }))
  return [
    ...objects.filter(({ id }) => openAtFirst.includes(id)),
    ...objects.filter(({ id }) => !openAtFirst.includes(id)),
    {
      id: 'ids',
      note: 'The product, the publisher, and the customer.',
      paths: top.filter(path => !hasFields(path)),
    },
  ]
}

/** Opens the group of a field and moves the focus to its input, or to the group if there is no such input. */
export function focusInput(field: string): void {
  const group = groups.find(({ paths }) => paths.some(path => isWithin(field, path)))
  const details = document.querySelector<HTMLDetailsElement>(`details[data-group="${group?.id ?? ''}"]`)
  if (!details) return
  const at = `[data-field="${CSS.escape(field)}"]`
  details.open = true
  for (const more of details.querySelectorAll('details')) more.open ||= more.querySelector(at) !== null
  const input = details.querySelector<HTMLElement>(at) ?? details.querySelector('summary')
  input?.focus()
}

/** Edits the fields of a lead by group, for people who don't read JSON. Everything is written into the same text. */
export function LeadForm({ body, ...others }: Omit<Editing, 'lead' | 'firstLead'>) {
  // Fields move only when another lead is started, never while one is being filled in.
  const parsed = useMemo(() => parsedJson(body), [body])
  const [firstLead] = useState(parsed)
  const [lead, setLead] = useState(parsed)
  const isValid = parsed !== undefined
  if (isValid && lead !== parsed) setLead(parsed)
  const editing = { ...others, body, lead: isValid ? parsed : lead, firstLead }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="lead-form lined" aria-label="Fields" tabIndex={0}>
      {!isValid && <p className="muted">The fields can be changed once the text is valid JSON.</p>}
      {groups.map(({ id, note, paths }) => {
        const count = editing.issues.filter(({ field }) => paths.some(path => isWithin(field, path))).length
        return (
          <details key={id} data-group={id} open={openAtFirst.includes(id)}>
            <summary>
              <strong>{formatWord(id)}</strong> {count > 0 && <Badge tone="bad">{count} wrong</Badge>}
              <span className="muted">
                <Prose text={note} />
              </span>
            </summary>
            <fieldset disabled={!isValid}>
              <Parts editing={editing} paths={paths} />
            </fieldset>
          </details>
        )
      })}
    </section>
  )
}

/** The inputs of several fields: first those that are given or required, then the others behind a button. */
function Parts({ editing, paths }: { readonly editing: Editing; readonly paths: readonly (readonly string[])[] }) {
  const leaves = paths.flatMap(leavesOf)
  const isShown = (path: readonly string[]) =>
    fieldOf(editing.firstLead, path.join('.')) !== undefined || fieldAt(path)?.accepts.optional !== true
  const others = leaves.filter(path => !isShown(path))
  return (
    <>
      <Inputs editing={editing} paths={leaves.filter(isShown)} />
      {others.length > 0 && (
        <details>
          <summary>{formatCount(others.length, 'more field')}</summary>
          <Inputs editing={editing} paths={others} />
        </details>
      )}
    </>
  )
}

/** The fields below a path that have a value of their own, or are a list. */
function leavesOf(path: readonly string[]): readonly (readonly string[])[] {
  const inner = fieldsAt(path)
  return inner.length === 0 ? [path] : inner.flatMap(({ name }) => leavesOf([...path, name]))
}

function Inputs({ editing, paths }: { readonly editing: Editing; readonly paths: readonly (readonly string[])[] }) {
  if (paths.length === 0) return null
  return (
    <div className="lead-fields tiles">
      {paths.map(path => {
        const field = fieldAt(path)
        if (!field) return null
        const Input = field.accepts.type === 'list' ? ListInput : ValueInput
        return <Input key={path.join('.')} editing={editing} path={path} field={field} />
      })}
    </div>
  )
}

const isWithin = (field: string, path: readonly string[]) => `${field}.`.startsWith(`${path.join('.')}.`)

/** The items of a list, each with its fields, and buttons to add and remove one. */
function ListInput(props: { readonly editing: Editing; readonly path: readonly string[]; readonly field: LeadField }) {
  const { editing, path, field } = props
  const at = path.join('.')
  const value = fieldOf(editing.lead, at)
  const items = Array.isArray(value) ? value : []
  const set = (changed: readonly unknown[]) => editing.onChange(writeField(editing.body, at, changed))
  return (
    <>
      {items.map((item, index) => {
        const { type } = Object(item)
        const title = `${formatWord(field.name)} ${index + 1}${typeof type === 'string' ? `: ${formatWord(type)}` : ''}`
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name.
          <fieldset key={index} className="lead-item">
            <legend>{title}</legend>
            <Parts editing={editing} paths={[[...path, String(index)]]} />
            <button type="button" className="small" onClick={() => set(items.filter((_, other) => other !== index))}>
              Remove <span className="visually-hidden">{title}</span>
            </button>
          </fieldset>
        )
      })}
      <div className="lead-item">
        <button type="button" className="small" onClick={() => set([...items, {}])}>
          Add to {formatWord(field.name).toLowerCase()}
        </button>
      </div>
    </>
  )
}

function ValueInput(props: { readonly editing: Editing; readonly path: readonly string[]; readonly field: LeadField }) {
  const { editing, path, field } = props
  const label = labelOf(path)
  const at = path.join('.')
  const value = fieldOf(editing.lead, at)
  const shown = value === undefined || value === null ? '' : String(value)
  const problems = editing.issues.filter(issue => issue.field === at).map(({ issue }) => issue)
  const change = (text: string) => editing.onChange(writeField(editing.body, at, readValue(text, field)))
  const options = optionsOf(field, useAccount())
  const common = {
    label,
    hint: problems.length > 0 ? problems.join(' ') : hintOf(field, label),
    'data-field': at,
    'aria-invalid': problems.length > 0,
    value: shown,
  }
  if (!options) {
    const inputMode = field.accepts.type === 'integer' ? 'numeric' : 'text'
    return <TextField {...common} inputMode={inputMode} onChange={event => change(event.target.value)} />
  }
  const isKnown = options.some(option => option.value === shown)
  const none = { value: '', label: 'Not given' }
  return (
    <SelectField
      {...common}
      choices={[
        ...(isKnown || shown === '' ? [] : [{ value: shown, label: shown }]),
        ...(shown === '' || field.accepts.optional ? [none] : []),
        ...options,
      ]}
      onChange={change}
    />
  )
}

/** The label of a field. One of an object inside a group begins with that object's name: `E-mail status`. */
function labelOf(path: readonly string[]): string {
  const [holder = '', name = ''] = path.slice(-2)
  const isOfGroup = path.length === 1 || topPaths.has(path.slice(0, -1).join('.')) || /^\d+$/.test(holder)
  const words = isOfGroup ? name : `${holder} ${name}`
  return formatWord(words).replace(/^Email/, 'E-mail')
}

/** The note of a field, without what its label says already. */
function hintOf({ note }: LeadField, label: string): string | undefined {
  const more = note.startsWith(`${label}.`) ? note.slice(label.length + 1).trim() : note
  return more === '' ? undefined : more
}

function optionsOf({ name, accepts }: LeadField, { products }: Account) {
  if (name === 'product_id') return products.map(product => ({ value: product.product_id, label: product.name }))
  if (accepts.type === 'boolean') return ['true', 'false'].map(value => ({ value, label: formatWord(value) }))
  return accepts.values?.map(value => ({ value, label: formatWord(value) }))
}

/** Parses the text of a field. An empty text removes an optional value. */
function readValue(text: string, { accepts: { type, nullable, optional } }: LeadField): unknown {
  if (text === '') return nullable ? null : optional || type !== 'text' ? undefined : ''
  if (type === 'boolean') return text === 'true'
  if (type === 'integer' && text.trim() !== '' && !Number.isNaN(Number(text))) return Number(text)
  return text
}
