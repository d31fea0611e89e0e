import { expect, it } from 'vitest'
import { parsedJson, valueAt, writeField } from './json.ts'

it('reads and writes a field by its path', () => {
  const body = '{"customer":{"contact":{"email":{"address":"a@b.c"}}}}'
  expect(valueAt(parsedJson(body), ['customer', 'contact', 'email', 'address'])).toBe('a@b.c')
  expect(JSON.parse(writeField(body, 'customer.profile.monthly_income', 900))).toEqual({
    customer: { contact: { email: { address: 'a@b.c' } }, profile: { monthly_income: 900 } },
  })
  expect(JSON.parse(writeField('{"a":1}', 'a.b', 2))).toEqual({ a: { b: 2 } })
  expect(JSON.parse(writeField('{"a":[1,{"b":2}]}', 'a.1.b', 3))).toEqual({ a: [1, { b: 3 }] })
})

it('removes a field', () => {
  expect(JSON.parse(writeField('{"a":{"b":1,"c":2}}', 'a.b', undefined))).toEqual({ a: { c: 2 } })
})

it('leaves text that is not JSON unchanged', () => {
  expect(['{', '3', 'null'].map(text => writeField(text, 'a.b', 1))).toEqual(['{', '3', 'null'])
  expect(['{', 'null', ''].map(text => valueAt(parsedJson(text), ['a', 'b']))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
