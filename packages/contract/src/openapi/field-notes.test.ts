import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldNotes } from './field-notes.generated.ts'
import { type FieldNotes, namedSchemas } from './schemas.ts'
import { serviceComponents } from './service-document.ts'

const notes: FieldNotes = fieldNotes
const { schemaOf } = namedSchemas({
  components: serviceComponents,
  operations: {},
  notes: fieldNotes,
  openEnumerations: {},
})

interface Property {
  description?: string
  minimum?: number
  maximum?: number
  maxLength?: number
}

const components = Object.entries(serviceComponents).map(([name, shape]) => {
  const properties = (schemaOf(shape).properties ?? {}) as Record<string, Property>
  return { name, shape, properties }
})
const fields = components.flatMap(({ name, properties, shape }) => {
  const defaults = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }).properties ?? {}
  return Object.entries(properties).map(([field, property]) => ({
    name,
    field,
    property,
    byDefault: Object(defaults[field]).default,
    note: property.description ?? '',
  }))
})

describe('the notes of the interfaces', () => {
  it.each(components)('$name: the interface and the shape have the same fields', ({ name, properties }) => {
    expect(Object.keys(notes[name]?.fields ?? {})).toEqual(Object.keys(properties))
  })

  it.each(components)('$name has a description', ({ name }) => {
    expect(notes[name]?.description).toMatch(/\w.*\.$/)
  })
})

describe.each(fields)('$name.$field', ({ property, byDefault, note }) => {
  it('has a description, in a sentence', () => {
    expect(note).toMatch(/^[`A-Z].*\.$/)
  })

  it('states its default, and no other', () => {
    const stated = /Default `([^`]*)`/.exec(note)?.[1]
    expect(stated).toBe(byDefault === undefined ? undefined : String(byDefault))
  })

  it('is not required of a sender by a default, as generators of clients have it', () => {
    expect(property).not.toHaveProperty('default')
  })

  it('states its bounds, and no others', () => {
    const [, min, max] = /from (\d+) to (\d+) inclusive/.exec(note) ?? []
    const [, maxLength] = /at most (\d+) characters/.exec(note) ?? []
    const bounds = [property.minimum, property.maximum, property.maxLength]
    expect([min, max, maxLength]).toEqual(bounds.map(bound => (bound === undefined ? undefined : String(bound))))
  })
})
