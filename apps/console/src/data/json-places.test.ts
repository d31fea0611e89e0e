import { json as jsonLanguage } from '@codemirror/lang-json'
import { EditorState } from '@codemirror/state'
import { expect, it } from 'vitest'
import { cursorAt, locateField, placeAt } from './json-places.ts'

const json = `{
  "type": "top: \\"type\\"",
  "customer": { "contact": { "email": { "address": "a@b.c" } } },
  "consents": { "entries": [{ "type": "terms" }, { "type": "privacy_policy" }], "tags": ["a", "b"] }
}`

const stateOf = (doc: string) => EditorState.create({ doc, extensions: [jsonLanguage()] })

const state = stateOf(json)

it.each([
  ['type', '"type"', 1],
  ['customer.contact.email.address', '"address"', 1],
  ['consents.entries[1].type', '"type"', 3],
  ['consents.entries.1.type', '"type"', 3],
  ['consents.tags[1]', '"b"', 1],
])('finds %s', (path, text, nth) => {
  let start = -1
  for (let count = 0; count < nth; count++) start = json.indexOf(text, start + 1)
  expect(locateField(state, path)).toMatchObject({ start, end: start + text.length })
})

it('finds the object around a missing field', () => {
  expect(locateField(state, 'customer.profile.birthday')).toEqual(locateField(state, 'customer'))
  expect(locateField(state, 'product_id')).toBeUndefined()
})

it('finds nothing in text that is not JSON, and terminates', () => {
  expect(['', '{', '}}}}', ']', ':::', '"'].map(text => locateField(stateOf(text), 'a.b'))).toEqual(
    Array(6).fill(undefined),
  )
})

it('finds the path under the pointer', () => {
  expect(placeAt(state, json.indexOf('address') + 2)).toMatchObject({
    path: ['customer', 'contact', 'email', 'address'],
  })
  expect(placeAt(state, json.indexOf('privacy'))).toMatchObject({ path: ['consents', 'entries', '1', 'type'] })
  expect(placeAt(state, json.indexOf('customer') - 3)).toBeUndefined()
})

/** Returns the cursor at the `|` in a text. */
const cursor = (text: string) => cursorAt(stateOf(text.replace('|', '')), text.indexOf('|'))

it.each([
  ['{ | }', 'name', ''],
  ['{ "a": 1, "|" }', 'name', ''],
  ['{ "a": 1, "b|', 'name', ''],
  ['{ "a": { "b|": 1 } }', 'name', 'a'],
  ['{ "a": |', 'value', 'a'],
  ['{ "a": { "b": "C|A", "d": 1 } }', 'value', 'a.b'],
  ['{ "a": [{ "b": tr|', 'value', 'a.0.b'],
  ['{ "a": [1, |] }', 'value', 'a.1'],
])('knows whether a name or a value goes at the cursor in %s', (text, kind, path) => {
  expect(cursor(text)).toMatchObject({ kind, path: path === '' ? [] : path.split('.') })
})

it('knows all names of the object, including those after the cursor', () => {
  expect(cursor('{ "a": 1, "|" "b": 2, "c": { "d": 3 } }')?.siblings).toEqual(['a', 'b', 'c'])
})

it('replaces the whole word at the cursor, and offers nothing after a value', () => {
  expect(cursor('{ "a": "C|A" }')).toMatchObject({ start: 7, end: 11 })
  expect(cursor('{ "a": | }')).toMatchObject({ start: 7, end: 7 })
  expect(['{ "a": "CA" |', '{ "a" |', '|', '}|'].map(cursor)).toEqual(Array(4).fill(undefined))
})
