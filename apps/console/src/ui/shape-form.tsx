import { type FieldIssue, isSameJson } from '@lead-distribution/contract'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { formatCount, formatWord } from '../data/format.ts'
import { syntaxErrorOf, valueAt, withValueAt } from '../data/json.ts'
import { type Field, fieldsOf, issuesOf, type Schema } from '../data/schema.ts'
import { FieldIssues } from './elements.tsx'
import { type Choice, Notes, Segments, SelectField, TextField } from './forms.tsx'
import { Icon, type IconName } from './icons.tsx'
import './shape-form.css'

/** The number of items of a list to show at once. More would slow down typing. */
const itemsAtOnce = 50

/** The state that all fields of a form share, and how the form differs from others. Paths are like `products.0.name`. */
interface FormState {
  /** The issues to show. */
  readonly issues: readonly FieldIssue[]
  /** Called when an input is left. */
  readonly onLeave?: (path: string) => void
  /** Returns the choices of a value; undefined if it has none. Default: those of its schema. */
  readonly choicesOf?: (path: string, schema: Schema) => readonly Choice[] | undefined
  /** Returns true for an optional field that is folded away. If given, an inner object's fields stand beside the others. */
  readonly isFolded?: (path: string) => boolean
}

interface FieldProps {
  readonly form: FormState
  readonly schema: Schema
  readonly label: string
  readonly path: string
  readonly value: unknown
  /** True if the value can't be left out. */
  readonly required: boolean
  /** True if what surrounds the field has its label and its hint. */
  readonly isBare?: boolean
  /** Called with undefined to leave the value out. */
  readonly onChange: (value: unknown) => void
}

/**
 * A form whose fields come from a JSON Schema, with the same value as JSON in a second tab. Issues are shown at their
 * fields: once a field is left, all of them on saving, and those from the sandbox.
 */
export function ShapeForm(props: {
  readonly label: string
  readonly schema: Schema
  readonly value: unknown
  /** The text of the JSON tab while it isn't valid JSON. */
  readonly text: string | undefined
  readonly onChange: (value: unknown, text?: string) => void
  /** Issues that the sandbox found, by their paths in the value. */
  readonly refused: readonly FieldIssue[]
  /** Called on saving if the value has no issues. */
  readonly onSave: () => void
  /** Messages and buttons. */
  readonly children: ReactNode
}) {
  const { label, schema, value, text, onChange, refused, onSave, children } = props
  const [tab, setTab] = useState<'fields' | 'json'>(text === undefined ? 'fields' : 'json')
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [attempts, setAttempts] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const issues = useMemo(() => issuesOf(schema, value), [schema, value])
  const state: FormState = {
    issues: [...issues.filter(({ field }) => attempts > 0 || touched.has(field)), ...refused],
    onLeave: path => setTouched(before => new Set([...before, path])),
  }
  useEffect(() => {
    if (attempts > 0 || refused.length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"], .invalid :is(input, select, button)')?.focus()
  }, [attempts, refused])
  return (
    <form
      ref={form}
      noValidate
      className="stack"
      aria-label={label}
      onSubmit={event => {
        event.preventDefault()
        if (issues.length > 0 || text !== undefined) setAttempts(attempts + 1)
        else onSave()
      }}
    >
      <div>
        <Segments
          label="Edit as"
          value={tab}
          options={[
            { value: 'fields', label: 'Fields' },
            { value: 'json', label: 'JSON' },
          ]}
          // Text that isn't JSON has no fields: it has to be corrected first.
          onChange={next => (text === undefined ? setTab(next) : setAttempts(attempts + 1))}
        />
      </div>
      {tab === 'json' ? (
        <JsonField value={value} text={text} issues={[...issues, ...refused]} onChange={onChange} />
      ) : (
        <Value form={state} schema={schema} label="" path="" value={value} required isBare onChange={onChange} />
      )}
      {children}
    </form>
  )
}

function JsonField(props: {
  readonly value: unknown
  readonly text: string | undefined
  readonly issues: readonly FieldIssue[]
  readonly onChange: (value: unknown, text?: string) => void
}) {
  const { value, text, issues, onChange } = props
  const id = useId()
  // Separate text, so that typing doesn't reformat it. Replaced when the value changes.
  const [typed, setTyped] = useState({ value, text: indented(value) })
  const current = text ?? (isSameJson(typed.value, value) ? typed.text : indented(value))
  const problem = text === undefined ? undefined : syntaxErrorOf(text)?.issue
  const change = (next: string) => {
    const isJson = syntaxErrorOf(next) === undefined
    const parsed = isJson ? (JSON.parse(next) as unknown) : value
    setTyped({ value: parsed, text: next })
    onChange(parsed, isJson ? undefined : next)
  }
  return (
    <div className="field">
      <label htmlFor={id}>JSON</label>
      <textarea
        id={id}
        rows={18}
        spellCheck={false}
        aria-invalid={problem !== undefined || issues.length > 0}
        aria-describedby={`${id}-problem`}
        value={current}
        onChange={event => change(event.target.value)}
      />
      <div id={`${id}-problem`} className="problem">
        {problem ?? <FieldIssues issues={issues} />}
      </div>
    </div>
  )
}

const indented = (value: unknown) => JSON.stringify(value, null, 2)

/** Returns true if a field is at a path, or below it. */
export const isWithin = (field: string, path: string) => `${field}.`.startsWith(`${path}.`)

const issueOf = ({ form, path }: FieldProps) => form.issues.find(({ field }) => field === path)?.issue

/** The field of a value, by the type of its schema. */
export function Value(props: FieldProps): ReactNode {
  const { form, schema, path } = props
  if (schema.type === 'object') return <Group {...props} />
  if (schema.type === 'array') return schema.items?.enum ? <Choices {...props} /> : <List {...props} />
  const choices = form.choicesOf ? form.choicesOf(path, schema) : schema.enum?.map(value => ({ value, label: value }))
  return schema.type === 'boolean' && !choices ? <Switch {...props} /> : <Input {...props} choices={choices} />
}

function Group(props: FieldProps) {
  const { form, schema, path: base, value, isBare, onChange } = props
  const fields = fieldsOf(schema, form.isFolded !== undefined)
  const pathOf = (field: Field) => [base, ...field.path].filter(Boolean).join('.')
  const isFolded = (field: Field) => !field.required && form.isFolded?.(pathOf(field)) === true
  const more = fields.filter(isFolded)
  // A value with parts, such as a range, takes one row.
  const isRow = !isBare && fields.every(field => field.required && !isNested(field.schema))
  const inputs = (shown: readonly Field[]) => (
    <div className={isRow ? 'shape-row' : 'tiles'}>
      {shown.map(field => (
        <Value
          key={field.path.join('.')}
          form={form}
          schema={inheritUnit(field.schema, schema)}
          label={labelOf(field)}
          path={pathOf(field)}
          value={valueAt(value, field.path)}
          required={field.required}
          onChange={next => onChange(withValueAt(value, field.path, next))}
        />
      ))}
    </div>
  )
  return (
    <Fieldset {...props}>
      {more.length < fields.length && inputs(fields.filter(field => !isFolded(field)))}
      {more.length > 0 && (
        <details>
          <summary>{formatCount(more.length, 'more field')}</summary>
          {inputs(more)}
        </details>
      )}
    </Fieldset>
  )
}

const isNested = ({ type }: Schema) => type === 'object' || type === 'array'

const inheritUnit = (schema: Schema, { 'x-unit': unit }: Schema): Schema =>
  unit === undefined ? schema : { 'x-unit': unit, ...schema }

/** The label of a field. One of an inner object begins with that object's name: `E-mail status`. */
const labelOf = ({ path }: Field) => formatWord(path.slice(-2).join(' ')).replace(/^Email /, 'E-mail ')

/** Several inputs with one label, hint and issue. */
function Fieldset(props: FieldProps & { readonly children: ReactNode }) {
  const { schema, label, isBare, children } = props
  const id = useId()
  const issue = issueOf(props)
  if (isBare) return children
  return (
    <fieldset className={`shape-group stack ${issue === undefined ? '' : 'invalid'}`} aria-describedby={id}>
      <legend>{label}</legend>
      <Notes id={id} hint={schema.description} issue={issue} />
      {children}
    </fieldset>
  )
}

/** A text, a number or a choice. */
function Input(props: FieldProps & { readonly choices: readonly Choice[] | undefined }) {
  const { form, schema, label, path, value, required, isBare, choices, onChange } = props
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
  const change = (typed: string) => onChange(readText(typed, schema, required))
  const common = {
    label,
    hint: isBare ? undefined : hintOf(schema, label),
    issue: issueOf(props),
    unit: isBare ? undefined : schema['x-unit'],
    isBare,
    value: text,
    'data-field': path,
    onBlur: () => form.onLeave?.(path),
  }
  if (choices) {
    const isUnknown = text !== '' && choices.every(choice => choice.value !== text)
    return (
      <SelectField
        {...common}
        choices={[
          ...(text === '' || !required ? [{ value: '', label: required ? 'Choose…' : 'Not given' }] : []),
          ...(isUnknown ? [{ value: text, label: text }] : []),
          ...choices,
        ]}
        onChange={change}
      />
    )
  }
  return (
    <TextField
      {...common}
      autoComplete="off"
      spellCheck={false}
      readOnly={schema.readOnly}
      className={isNumber ? 'shape-number' : schema.readOnly ? 'mono' : ''}
      inputMode={isNumber ? 'numeric' : 'text'}
      aria-required={required && !schema.nullable}
      onChange={event => change(event.target.value)}
    />
  )
}

/** Returns the description of a field, without what its label says already. */
function hintOf({ description = '' }: Schema, label: string): string {
  return description.startsWith(`${label}.`) ? description.slice(label.length + 1).trim() : description
}

/** Returns the value that a text means, or else the text, so that it can be corrected. Undefined leaves the value out. */
function readText(text: string, { type, nullable }: Schema, required: boolean): unknown {
  if (text === '' && nullable) return null
  if (text === '' && !(required && type === 'string')) return undefined
  if (type === 'boolean') return text === 'true'
  const number = Number(text)
  return type !== 'string' && String(number) === text.trim() ? number : text
}

function Switch(props: FieldProps) {
  const { schema, label, path, value, onChange } = props
  const id = useId()
  const issue = issueOf(props)
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={value === true}
          data-field={path}
          aria-invalid={issue !== undefined}
          aria-describedby={id}
          onChange={event => onChange(event.target.checked)}
        />
        {label}
      </label>
      <Notes id={id} hint={schema.description} issue={issue} />
    </div>
  )
}

/** A list of known values: a checkbox for each. */
function Choices(props: FieldProps) {
  const { schema, value, onChange } = props
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <Fieldset {...props}>
      <div className="tiles">
        {schema.items?.enum?.map(each => (
          <label key={each} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(each)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, each] : chosen.filter(other => other !== each))
              }
            />
            {each}
          </label>
        ))}
      </div>
    </Fieldset>
  )
}

/** A list of anything: an input or a group for each item. */
function List(props: FieldProps) {
  const { form, schema, label, path, value, onChange } = props
  const { items: item = {}, maxItems = Number.POSITIVE_INFINITY } = schema
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const atOf = (index: number) => (path ? `${path}.${index}` : String(index))
  const [limit, setLimit] = useState(itemsAtOnce)
  const hasIssue = (index: number) => form.issues.some(({ field }) => isWithin(field, atOf(index)))
  const shown = Math.max(limit, items.findLastIndex((_item, index) => hasIssue(index)) + 1)
  const list = useRef<HTMLUListElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  // Moves the focus with a change of the list, which would otherwise lose it.
  const [focused, setFocused] = useState<{ readonly index: number; readonly on: string }>()
  useEffect(() => {
    if (!focused) return
    const row = list.current?.children[focused.index]
    const target = row?.querySelector<HTMLElement>(focused.on) ?? row?.querySelector<HTMLElement>('button')
    ;(target ?? add.current)?.focus()
  }, [focused])
  const isGroup = item.type === 'object'
  const move = (index: number, by: -1 | 1, on: string) => {
    onChange(items.with(index, items[index + by]).with(index + by, items[index]))
    setFocused({ index: index + by, on })
  }
  return (
    <Fieldset {...props}>
      <ul ref={list} className={isGroup ? 'shape-list shape-groups stack' : 'shape-list shape-items'}>
        {items.slice(0, shown).map((each, index) => {
          const at = atOf(index)
          const { type } = Object(each)
          const name = `${label || 'Entry'} ${index + 1}${typeof type === 'string' ? `: ${formatWord(type)}` : ''}`
          // The list has the hints of its first item.
          const own = index === 0 ? item : withoutHints(item)
          const change = (next: unknown) => onChange(items.with(index, next))
          const field = { form, schema: own, label: name, path: at, value: each, required: true, onChange: change }
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name.
            <li key={index} className={isGroup ? 'framed sunken' : ''}>
              <Value {...field} isBare={!isGroup} />
              {schema['x-ordered'] && (
                <>
                  <RowButton
                    className="up"
                    icon="earlier"
                    label={`Move ${name} up`}
                    disabled={index === 0}
                    onClick={() => move(index, -1, '.up:enabled')}
                  />
                  <RowButton
                    className="down"
                    icon="down"
                    label={`Move ${name} down`}
                    disabled={index === items.length - 1}
                    onClick={() => move(index, 1, '.down:enabled')}
                  />
                </>
              )}
              <RowButton
                className="remove"
                icon="close"
                label={`Remove ${name}`}
                onClick={() => {
                  onChange(items.toSpliced(index, 1))
                  setFocused({ index: Math.min(index, items.length - 2), on: '.remove' })
                }}
              />
            </li>
          )
        })}
      </ul>
      {items.length === 0 && <p className="muted">None.</p>}
      <div className="actions">
        {items.length > shown && (
          <button type="button" className="small" onClick={() => setLimit(shown + itemsAtOnce)}>
            Show more of {items.length}
          </button>
        )}
        <button
          ref={add}
          type="button"
          className="small"
          disabled={items.length >= maxItems}
          onClick={() => {
            onChange([...items, isGroup ? {} : ''])
            setLimit(Math.max(limit, items.length + 1))
            setFocused({ index: items.length, on: 'input, select' })
          }}
        >
          Add <span className="visually-hidden">to {label || 'the list'}</span>
        </button>
      </div>
    </Fieldset>
  )
}

function withoutHints({ description: _hint, properties, ...schema }: Schema): Schema {
  if (!properties) return schema
  const own = Object.entries(properties).map(([name, each]) => [name, withoutHints(each)])
  return { ...schema, properties: Object.fromEntries(own) }
}

function RowButton(props: {
  readonly className: string
  readonly icon: IconName
  readonly label: string
  readonly disabled?: boolean
  readonly onClick: () => void
}) {
  const { className, icon, label, disabled = false, onClick } = props
  return (
    <button
      type="button"
      className={`quiet small icon ${className}`}
      title={label}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
