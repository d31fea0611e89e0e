import type { FieldIssue } from '@lead-distribution/contract'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { isFields, isSame, issuesOf, type Schema, withValueAt } from '../data/account-shape.ts'
import { formatWord } from '../data/format.ts'
import { syntaxErrorOf } from '../data/json.ts'
import { FieldIssues, Prose } from './elements.tsx'
import { Segments } from './forms.tsx'
import { Icon, type IconName } from './icons.tsx'
import './shape-form.css'

/** The number of items of a list to show at once. More would slow down typing. */
const itemsAtOnce = 50

/** The state that all fields of a form share. */
interface FormState {
  /** Returns the issue to show at a path. */
  readonly issueAt: (path: string) => string | undefined
  /** Returns true if an issue is shown somewhere below a path. */
  readonly hasIssueBelow: (path: string) => boolean
  /** Shows the issue at a path from now on. */
  readonly touch: (path: string) => void
  /** The paths of fields that can't be edited. */
  readonly fixed: readonly string[]
}

interface FieldProps {
  readonly form: FormState
  readonly schema: Schema
  readonly label: string
  readonly path: string
  readonly value: unknown
  /** True if the value can't be left out. */
  readonly required: boolean
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
  /** The paths of fields that can't be edited. */
  readonly fixed: readonly string[]
  /** Called on saving if the value has no issues. */
  readonly onSave: () => void
  /** Messages and buttons. */
  readonly children: ReactNode
}) {
  const { label, schema, value, text, onChange, refused, fixed, onSave, children } = props
  const [tab, setTab] = useState<'fields' | 'json'>(text === undefined ? 'fields' : 'json')
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [attempts, setAttempts] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const issues = useMemo(() => issuesOf(schema, value), [schema, value])
  const shown = [...issues.filter(({ field }) => attempts > 0 || touched.has(field)), ...refused]
  const state: FormState = {
    issueAt: path => shown.find(({ field }) => field === path)?.issue,
    hasIssueBelow: path => shown.some(({ field }) => field === path || field.startsWith(`${path}.`)),
    touch: path => setTouched(before => new Set([...before, path])),
    fixed,
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
        <Value form={state} schema={schema} label="" path="" value={value} required onChange={onChange} />
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
  const current = text ?? (isSame(typed.value, value) ? typed.text : indented(value))
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

/** The field of a value, by the type of its schema. */
function Value(props: FieldProps): ReactNode {
  const { schema } = props
  if (schema.type === 'object') return <Group {...props} />
  if (schema.type === 'boolean') return <Switch {...props} />
  if (schema.type === 'array') return schema.items?.enum ? <Choices {...props} /> : <List {...props} />
  return <Input {...props} />
}

function Group({ form, schema, label, path, value, onChange }: FieldProps) {
  const { properties = {}, required = [] } = schema
  const fields = isFields(value) ? value : {}
  const names = Object.keys(properties)
  // A value with parts, such as a range, takes one row.
  const isRow = required.length === names.length && names.every(name => !isNested(properties[name]))
  const children = names.map(name => (
    <Value
      key={name}
      form={form}
      schema={inheritUnit(properties[name] ?? {}, schema)}
      label={formatWord(name)}
      path={path ? `${path}.${name}` : name}
      value={fields[name]}
      required={required.includes(name)}
      onChange={next => onChange(withValueAt(fields, [name], next))}
    />
  ))
  if (path === '') return <div className="tiles">{children}</div>
  return (
    <Fieldset form={form} schema={schema} label={label} path={path}>
      <div className={isRow ? 'shape-row' : 'tiles'}>{children}</div>
    </Fieldset>
  )
}

const isNested = (schema: Schema | undefined) => schema?.type === 'object' || schema?.type === 'array'

const inheritUnit = (schema: Schema, { 'x-unit': unit }: Schema): Schema =>
  unit === undefined ? schema : { 'x-unit': unit, ...schema }

/** Several inputs with one label, hint and issue. */
function Fieldset(props: Pick<FieldProps, 'form' | 'schema' | 'label' | 'path'> & { readonly children: ReactNode }) {
  const { form, schema, label, path, children } = props
  const id = useId()
  const issue = form.issueAt(path)
  return (
    <fieldset className={`shape-group stack ${issue === undefined ? '' : 'invalid'}`} aria-describedby={`${id}-notes`}>
      <legend>{label}</legend>
      <Notes id={id} hint={schema.description} issue={issue} />
      {children}
    </fieldset>
  )
}

function Notes(props: { readonly id: string; readonly hint: string | undefined; readonly issue: string | undefined }) {
  const { id, hint, issue } = props
  return (
    <div id={`${id}-notes`} className="shape-notes">
      {issue !== undefined && (
        <p className="problem">
          <Prose text={`${issue.charAt(0).toUpperCase()}${issue.slice(1)}.`} />
        </p>
      )}
      {hint !== undefined && (
        <p className="hint">
          <Prose text={hint} />
        </p>
      )}
    </div>
  )
}

/** A text, a number or a choice with its unit, issue and hint. `isItem`: of a list, which has a label and a hint itself. */
function Input(props: FieldProps & { readonly isItem?: boolean }) {
  const { form, schema, label, path, value, required, isItem, onChange } = props
  const id = useId()
  const issue = form.issueAt(path)
  const unit = isItem ? undefined : schema['x-unit']
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const isFixed = form.fixed.includes(path)
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const isChosen = schema.enum?.includes(text)
  const attributes = {
    id,
    'aria-label': isItem ? label : undefined,
    'aria-invalid': issue !== undefined,
    'aria-describedby': `${id}-notes`,
    onBlur: () => form.touch(path),
  }
  const change = (typed: string) => {
    if (typed === '' && schema.nullable) onChange(null)
    else if (typed === '' && !required) onChange(undefined)
    else onChange(isNumber ? numberOf(typed) : typed)
  }
  return (
    <div className="field">
      {!isItem && (
        <label htmlFor={id}>
          {label}
          {unit !== undefined && <span className="visually-hidden">, {unit}</span>}
        </label>
      )}
      <div className="shape-input line">
        {schema.enum ? (
          <select {...attributes} value={isChosen ? text : ''} onChange={event => onChange(event.target.value)}>
            {!isChosen && <option value="">Choose…</option>}
            {schema.enum.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : (
          <input
            {...attributes}
            autoComplete="off"
            spellCheck={false}
            readOnly={isFixed}
            className={isNumber ? 'shape-number' : isFixed ? 'mono' : ''}
            inputMode={isNumber ? 'numeric' : 'text'}
            aria-required={required && !schema.nullable}
            value={text}
            onChange={event => change(event.target.value)}
          />
        )}
        {unit !== undefined && (
          <span className="muted" aria-hidden="true">
            {unit}
          </span>
        )}
      </div>
      <Notes id={id} hint={isItem ? undefined : schema.description} issue={issue} />
    </div>
  )
}

/** Returns the number that a text is, or else the text, so that it can be corrected. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && String(number) === text.trim() ? number : text
}

function Switch({ form, schema, label, path, value, onChange }: FieldProps) {
  const id = useId()
  const issue = form.issueAt(path)
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={value === true}
          aria-invalid={issue !== undefined}
          aria-describedby={`${id}-notes`}
          onChange={event => onChange(event.target.checked)}
        />
        {label}
      </label>
      <Notes id={id} hint={schema.description} issue={issue} />
    </div>
  )
}

/** A list of known values: a checkbox for each. */
function Choices({ form, schema, label, path, value, onChange }: FieldProps) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <Fieldset form={form} schema={schema} label={label} path={path}>
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
function List({ form, schema, label, path, value, onChange }: FieldProps) {
  const { items: item = {}, maxItems = Number.POSITIVE_INFINITY } = schema
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const atOf = (index: number) => (path ? `${path}.${index}` : String(index))
  const [limit, setLimit] = useState(itemsAtOnce)
  const shown = Math.max(limit, items.findLastIndex((_item, index) => form.hasIssueBelow(atOf(index))) + 1)
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
  const content = (
    <>
      <ul ref={list} className={isGroup ? 'shape-list shape-groups stack' : 'shape-list shape-items'}>
        {items.slice(0, shown).map((each, index) => {
          const at = atOf(index)
          const name = `${label || 'Entry'} ${index + 1}`
          // The list has the hints of its first item.
          const own = index === 0 ? item : withoutHints(item)
          const change = (next: unknown) => onChange(items.with(index, next))
          const field = { form, schema: own, label: name, path: at, value: each, required: true, onChange: change }
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name.
            <li key={index} className={isGroup ? 'framed sunken' : ''}>
              {isGroup ? <Value {...field} /> : <Input {...field} isItem />}
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
    </>
  )
  if (path === '') return <div className="stack">{content}</div>
  return (
    <Fieldset form={form} schema={schema} label={label} path={path}>
      {content}
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
