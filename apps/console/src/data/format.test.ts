import { expect, it } from 'vitest'
import { formatHold, formatTime, formatValue, formatWord } from './format.ts'

it('shows a time in UTC, wherever its reader is', () => {
  expect(formatTime('2026-01-31T09:30:00.000Z')).toBe('31 Jan, 09:30:00')
  expect(formatTime('2026-01-31T00:30:00+02:00')).toBe('30 Jan, 22:30:00')
})

it('shows a wire word as words', () => {
  expect(formatWord('age_restriction')).toBe('Age restriction')
  expect(formatWord('new')).toBe('New')
})

it('shows who holds a callback', () => {
  expect(formatHold('tenant')).toBe('Held by you')
  expect(formatHold('delay')).toBe('Held by a fault: delay')
})

it.each([
  [undefined, '–'],
  [null, '–'],
  ['ES', 'ES'],
  [0, '0'],
  [false, 'false'],
  [{ min: 500, max: 75_000 }, '500 to 75000'],
  [[], 'none'],
  [['terms', 'privacy_policy'], 'terms, privacy_policy'],
  [{ loan_amount: { min: 1, max: 2 }, born: '2000-01-01' }, 'loan amount 1 to 2 · born 2000-01-01'],
])('shows %j of a trace as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})
