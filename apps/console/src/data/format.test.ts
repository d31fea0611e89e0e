import { expect, it } from 'vitest'
import {
  formatCountdown,
  formatHold,
  formatMs,
  formatPath,
  formatTime,
  formatValue,
  formatWord,
  shortId,
} from './format.ts'

it('formats a time in UTC in any time zone', () => {
  expect(formatTime('2026-01-31T09:30:00.000Z')).toBe('31 Jan, 09:30:00')
  expect(formatTime('2026-01-31T00:30:00+02:00')).toBe('30 Jan, 22:30:00')
})

it('formats a wire word', () => {
  expect(formatWord('age_restriction')).toBe('Age restriction')
  expect(formatWord('new')).toBe('New')
  expect(['http_401', 'fraud_ip_ranges', 'url'].map(formatWord)).toEqual(['HTTP 401', 'Fraud IP ranges', 'URL'])
})

it('shortens an id to its end, because ids from one seed start the same way', () => {
  const [one, other] = ['ceb10000-0037-4679-8e3c-c69a7e651c9d', 'ceb10000-0038-4679-8e3c-1ff456971b72']
  expect([one, other].map(shortId)).toEqual(['…7e651c9d', '…56971b72'])
  expect(formatPath(`/api/v1/lead/${one}/status`)).toBe('/lead/…7e651c9d/status')
  expect(formatPath('/api/v1/lead')).toBe('/lead')
})

it.each([
  [0, '< 1 ms'],
  [0.4, '< 1 ms'],
  [1.6, '2 ms'],
])('formats %d ms as %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text)
})

it.each([
  [-5, 'now'],
  [999, 'now'],
  [1_000, 'in 1 s'],
  [299_900, 'in 4 min 59 s'],
  [3_600_000, 'in 1 h'],
  [86_400_000 + 61_000, 'in 1 d'],
  [2 * 86_400_000 + 3 * 3_600_000, 'in 2 d 3 h'],
])('formats %d ms until an event as %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text)
})

it('describes who holds a callback', () => {
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
])('formats the trace value %j as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})
