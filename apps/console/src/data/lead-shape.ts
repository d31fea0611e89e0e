import { type FieldDescription, leadFields } from '@lead-distribution/contract'
import { fieldNotes } from '@lead-distribution/contract/field-notes'
import { type Field, fieldsOf, type Schema, schemaAt } from './schema.ts'

const types = {
  object: 'object',
  list: 'array',
  text: 'string',
  enum: 'string',
  integer: 'integer',
  boolean: 'boolean',
} as const

/** The shape of a lead. The description of a field is its meaning, unit, bounds and default. */
export const leadShape = schemaOf(leadFields, '')

function schemaOf(described: FieldDescription, description: string): Schema {
  const { type, fields = {}, items, values, format, nullable, maxItems } = described
  const names = Object.keys(fields)
  // An object's description doesn't name its interface: their fields are the same.
  const noted = Object.values(fieldNotes).find(each => Object.keys(each.fields).join() === names.join())
  const notes = new Map<string, string>(Object.entries(noted?.fields ?? {}))
  const inner = Object.entries(fields).map(([name, each]) => [name, schemaOf(each, notes.get(name) ?? '')])
  return {
    type: types[type],
    ...(description && { description }),
    ...(values && { enum: values }),
    ...(format && { format: format.name }),
    ...(nullable && { nullable }),
    ...(type === 'object' && { properties: Object.fromEntries(inner) }),
    ...(type === 'object' && { required: names.filter(name => fields[name]?.optional !== true) }),
    ...(items && { items: schemaOf(items, '') }),
    ...(maxItems !== undefined && { maxItems }),
  }
}

/** Returns the field at a path, such as `['customer', 'profile']`. The items of a list have its field's meaning. */
export function fieldAt(path: Field['path']): Field | undefined {
  const name = path.at(-1) ?? ''
  const holder = path.slice(0, -1)
  if (/^\d+$/.test(name)) return fieldAt(holder)
  return fieldsOf(schemaAt(leadShape, holder), false, holder).find(field => field.path.at(-1) === name)
}
