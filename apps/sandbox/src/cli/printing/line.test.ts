import { expect, it } from 'vitest'
import { line } from './line.ts'
import { drawnOn } from './terminal.fixture.ts'

const parts = ['2026-01-31 09:30:00', '400', undefined, 'POST', '/lead', '', 'product_id: is required']

const drawn = (columns: number | 'pipe') => drawnOn(columns, () => line(parts))

it('joins what has content', () => {
  expect(drawn('pipe')).toEqual(['2026-01-31 09:30:00  400  POST  /lead  product_id: is required'])
})

it('goes on below, between two parts, where the terminal is too narrow', () => {
  expect(drawn(50)).toEqual(['2026-01-31 09:30:00  400  POST  /lead', '    product_id: is required'])
  expect(drawn(10)).toHaveLength(5)
})
