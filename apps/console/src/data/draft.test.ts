import { expect, it } from 'vitest'
import { choices, readField, writeField } from './draft.ts'

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

it('leaves alone what is no JSON', () => {
  expect(['{', '3', 'null'].map(text => writeField(text, 'a.b', 1))).toEqual(['{', '3', 'null'])
  expect(['{', 'null', ''].map(text => readField(text, 'a.b'))).toEqual([undefined, undefined, undefined])
})
