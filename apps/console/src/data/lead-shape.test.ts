import { expect, it } from 'vitest'
import { fieldAt, fieldsAt } from './lead-shape.ts'

/** Every field of a lead, with its path. */
function everyField(path: readonly string[] = []): string[] {
  return fieldsAt(path).flatMap(({ name, accepts, note }) => {
    const inner = [...path, name, ...(accepts.type === 'list' ? ['0'] : [])]
    return [`${[...path, name].join('.')}: ${note}`, ...everyField(inner)]
  })
}

it('has a note for every field of a lead', () => {
  const fields = everyField()
  expect(fields.length).toBeGreaterThan(60)
  expect(fields.filter(field => field.endsWith(': '))).toEqual([])
  expect(fields).toContain('consents.entries.0.accepted: True if the customer accepted.')
})

it('finds a field by its path, also in a list', () => {
  expect(fieldAt(['product_data', 'loan_amount'])).toMatchObject({ accepts: { type: 'integer', min: 500 } })
  expect(fieldAt(['consents', 'entries', '3', 'version'])).toMatchObject({ accepts: { type: 'text', filled: true } })
  expect(fieldAt(['consents', 'entries', '3'])).toMatchObject({ name: 'entries' })
  expect([fieldAt([]), fieldAt(['nothing']), fieldAt(['product_data', 'x', 'y'])]).toEqual(Array(3).fill(undefined))
})
