import type { FieldIssue } from '@lead-distribution/contract'
import { useMemo, useState } from 'react'
import { formatWord } from '../data/format.ts'
import { isFields, parsedJson, valueAt, withValueAt } from '../data/json.ts'
import { leadShape } from '../data/lead-shape.ts'
import { useAccount } from '../data/live.ts'
import { type Field, fieldsOf, type Schema } from '../data/schema.ts'
import { Badge, Prose } from '../ui/elements.tsx'
import { isWithin, Value } from '../ui/shape-form.tsx'

/** A group of fields: an object or a list of the lead. */
interface Group {
  readonly id: string
  readonly path: Field['path']
  readonly schema: Schema
  /** The paths of the fields that belong to it. */
  readonly fields: readonly string[]
}

/** The groups that come first and are open, with the most edited fields. */
const openAtFirst: readonly string[] = ['contact', 'product_data']

/** Every field of a lead, by group: the objects and lists in the lead and in its customer, then the ids. */
const groups = groupsOf()

function groupsOf(): readonly Group[] {
  const customer = leadShape.properties?.customer ?? {}
  const isGroup = ({ schema }: Field) => schema.type === 'object' || schema.type === 'array'
  const groups = [...fieldsOf(customer, false, ['customer']), ...fieldsOf(leadShape)]
    .filter(field => isGroup(field) && field.schema !== customer)
    .map(({ path, schema }) => ({ id: path.at(-1) ?? '', path, schema, fields: [path.join('.')] }))
  const rest = (shape: Schema): Schema => {
    const fields = fieldsOf(shape).filter(field => !isGroup(field) || field.schema === customer)
    const own = fields.map(({ path, schema }) => [path[0], schema === customer ? rest(schema) : schema])
    return { ...shape, properties: Object.fromEntries(own) }
  }
  const ids = { ...rest(leadShape), description: 'The product, the publisher, and the customer.' }
  return [
    ...groups.filter(({ id }) => openAtFirst.includes(id)),
    ...groups.filter(({ id }) => !openAtFirst.includes(id)),
    { id: 'ids', path: [], schema: ids, fields: fieldsOf(ids, true).map(({ path }) => path.join('.')) },
  ]
}

const isOf = ({ fields }: Group, field: string) => fields.some(path => isWithin(field, path))

/** Moves the focus to a field's input, or else to the group around it, and opens what it is in. */
export function focusInput(field: string): void {
  const at = (path: string) => document.querySelector<HTMLElement>(`.lead-form [data-field="${CSS.escape(path)}"]`)
  const group = groups.find(each => isOf(each, field))
  const found = at(field) ?? at(group?.path.join('.') ?? '')
  for (let inner: Element | null | undefined = found; inner; inner = inner.parentElement?.closest('details'))
    if (inner instanceof HTMLDetailsElement) inner.open = true
  const target = found?.querySelector('summary') ?? found
  target?.focus()
}

/** Edits the fields of a lead by group, for people who don't read JSON. Everything is written into the same text. */
export function LeadForm(props: {
  readonly body: string
  readonly issues: readonly FieldIssue[]
  readonly onChange: (body: string) => void
}) {
  const { body, issues, onChange } = props
  const { products } = useAccount()
  const parsed = useMemo(() => parsedJson(body), [body])
  // Fields move only when another lead is started, never while one is being filled in.
  const [firstLead] = useState(parsed)
  const [lead, setLead] = useState(parsed)
  const isValid = isFields(parsed)
  if (isValid && lead !== parsed) setLead(parsed)
  const form = {
    issues,
    isFolded: (path: string) => valueAt(firstLead, path.split('.')) === undefined,
    choicesOf(path: string, { type, enum: values }: Schema) {
      if (path === 'product_id') return products.map(({ product_id, name }) => ({ value: product_id, label: name }))
      const words = type === 'boolean' ? ['true', 'false'] : values
      return words?.map(value => ({ value, label: formatWord(value) }))
    },
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="lead-form lined" aria-label="Fields" tabIndex={0}>
      {!isValid && <p className="muted">The fields can be changed once the text is a JSON object.</p>}
      {groups.map(group => {
        const { id, path, schema } = group
        const count = issues.filter(({ field }) => isOf(group, field)).length
        return (
          <details key={id} data-field={path.join('.')} open={openAtFirst.includes(id)}>
            <summary>
              <strong>{formatWord(id)}</strong> {count > 0 && <Badge tone="bad">{count} wrong</Badge>}
              <span className="muted">
                <Prose text={schema.description ?? ''} />
              </span>
            </summary>
            <fieldset className="stack" disabled={!isValid}>
              <Value
                form={form}
                schema={schema}
                label={formatWord(id)}
                path={path.join('.')}
                value={valueAt(lead, path)}
                required
                isBare
                onChange={next => onChange(JSON.stringify(withValueAt(lead, path, next), null, 2))}
              />
            </fieldset>
          </details>
        )
      })}
    </section>
  )
}
