import { expect, it } from 'vitest'
import { choices, locateField, newUuid, readField, writeField } from './draft.ts'

it('offers each choice once', () => {
  const ids = choices.map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(30)
  expect(new Set(ids).size).toBe(ids.length)
})

it('reads and writes a field by its path', () => {
  const body = '{"customer":{"contact":{"email":{"address":"a@b.c"}}}}'
  expect(readField(body, 'customer.contact.email.address')).toBe('a@b.c')
  expect(JSON.parse(writeField(body, 'customer.profile.monthly_income', 900))).toEqual({
    customer: { contact: { email: { address: 'a@b.c' } }, profile: { monthly_income: 900 } },
  })
  expect(JSON.parse(writeField('{"a":1}', 'a.b', 2))).toEqual({ a: { b: 2 } })
})

it('leaves text that is not JSON unchanged', () => {
  expect(['{', '3', 'null'].map(text => writeField(text, 'a.b', 1))).toEqual(['{', '3', 'null'])
  expect(['{', 'null', ''].map(text => readField(text, 'a.b'))).toEqual([undefined, undefined, undefined])
})

it('creates a different random UUID each time', () => {
  const made = Array.from({ length: 100 }, newUuid)
  for (const uuid of made) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(made).size).toBe(made.length)
})

const json = `{
  "type": "top: \\"type\\"",
  "customer": { "contact": { "email": { "address": "a@b.c" } } },
  "consents": { "entries": [{ "type": "terms" }, { "type": "privacy_policy" }], "tags": ["a", "b"] }
}`

it.each([
  ['type', '"type"', 1],
  ['customer.contact.email.address', '"address"', 1],
  ['consents.entries[1].type', '"type"', 3],
  ['consents.entries.1.type', '"type"', 3],
  ['consents.tags[1]', '"b"', 1],
])('finds %s', (path, text, nth) => {
  let start = -1
  for (let count = 0; count < nth; count++) start = json.indexOf(text, start + 1)
  expect(locateField(json, path)).toEqual({ start, end: start + text.length })
})

it('finds the object around a field that is missing', () => {
  expect(locateField(json, 'customer.profile.birthday')).toEqual(locateField(json, 'customer'))
  expect(locateField(json, 'product_id')).toBeUndefined()
})

it('finds nothing in text that is not JSON, and terminates', () => {
  expect(['', '{', '}}}}', ']', ':::', '"'].map(text => locateField(text, 'a.b'))).toEqual(Array(6).fill(undefined))
})
