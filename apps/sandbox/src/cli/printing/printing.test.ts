import { expect, it } from 'vitest'
import { line, plain } from './printing.ts'
import { drawnOn } from './terminal.fixture.ts'

const parts = ['2026-01-31 09:30:00', '400', undefined, 'POST', '/lead', '', 'product_id: is required']

const drawn = (columns: number | 'pipe') => drawnOn(columns, () => line(parts))

it('joins parts that have content', () => {
  expect(drawn('pipe')).toEqual(['2026-01-31 09:30:00  400  POST  /lead  product_id: is required'])
})

it('wraps between two parts where the terminal is too narrow', () => {
  expect(drawn(50)).toEqual(['2026-01-31 09:30:00  400  POST  /lead', '    product_id: is required'])
  expect(drawn(10)).toHaveLength(5)
})

it.each([
  ['not stated', 'not stated'],
  [400, '400'],
  [true, 'true'],
  [[], 'none'],
  [['ES', 'PT'], 'ES, PT'],
  [{ min: 500, max: 75000 }, '500 to 75000'],
  [
    { loan_amount: { min: 500, max: 75000 }, occupations_excluded: [] },
    'loan_amount: 500 to 75000; occupations_excluded: none',
  ],
])('prints %j as %s', (value, text) => {
  expect(plain(value)).toBe(text)
})
