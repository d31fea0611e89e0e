import { expect, it } from 'vitest'
import { locateField } from './locate-field.ts'

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

it('finds nothing in what is no JSON, and ends', () => {
  expect(['', '{', '}}}}', ']', ':::', '"'].map(text => locateField(text, 'a.b'))).toEqual(Array(6).fill(undefined))
})
