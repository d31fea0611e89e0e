import { expect, it } from 'vitest'
import { withOwner } from './submit.ts'

const owner = {
  publisher: { publisher_id: 'p1' },
  products: [
    { product_id: 'old', active: false },
    { product_id: 'current', active: true },
  ],
}

it('fills in the publisher and the active product', () => {
  expect(JSON.parse(withOwner('{"customer":{}}', owner))).toEqual({
    publisher_id: 'p1',
    product_id: 'current',
    customer: {},
  })
})

it('keeps existing ids, also wrong ones', () => {
  const lead = { product_id: null, publisher_id: 'other' }
  expect(JSON.parse(withOwner(JSON.stringify(lead), owner))).toEqual(lead)
})

it.each(['{', '', '[]', 'null', '"text"'])('sends %j unchanged', content => {
  expect(withOwner(content, owner)).toBe(content)
})
