import { expect, it } from 'vitest'
import { fieldAt, leadShape } from './lead-shape.ts'
import { fieldsOf, type Schema } from './schema.ts'

/** Every field of a shape, with its path. */
function everyField(shape: Schema, at: readonly string[] = []): string[] {
  return fieldsOf(shape, false, at).flatMap(({ path, schema }) => [
    `${path.join('.')}: ${schema.description ?? ''}`,
    ...(schema.items ? everyField(schema.items, [...path, '0']) : everyField(schema, path)),
  ])
}

it('has a note for every field of a lead', () => {
  const fields = everyField(leadShape)
  expect(fields.length).toBeGreaterThan(60)
  expect(fields.filter(field => field.endsWith(': '))).toEqual([])
  expect(fields).toContain('consents.entries.0.accepted: True if the customer accepted.')
})

it('finds a field by its path, also in a list', () => {
  const version = ['consents', 'entries', '3', 'version']
  expect(fieldAt(['product_data', 'loan_amount'])).toMatchObject({ schema: { type: 'integer' }, required: true })
  expect(fieldAt(version)).toMatchObject({ path: version, schema: { type: 'string' }, required: true })
  expect(fieldAt(['consents', 'entries', '3'])).toMatchObject({ path: ['consents', 'entries'] })
  expect(fieldAt(['customer', 'personal_data', 'birthday'])).toMatchObject({
    schema: { type: 'string', format: 'date' },
    required: false,
  })
  expect([fieldAt([]), fieldAt(['nothing']), fieldAt(['product_data', 'x', 'y'])]).toEqual(Array(3).fill(undefined))
})
