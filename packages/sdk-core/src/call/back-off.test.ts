import { describe, expect, it } from 'vitest'
import { delayOf, parseRetryAfter } from './back-off.ts'

describe('delayOf', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [5, 8000],
    [40, 8000],
  ])('jitters the wait after failure %i over the whole of 0 to %i ms', (failures, most) => {
    const waits = Array.from({ length: 400 }, () => delayOf(failures, {}, null))
    expect(Math.max(...waits)).toBeLessThan(most)
    expect(Math.max(...waits)).toBeGreaterThan(most * 0.8)
    expect(Math.min(...waits)).toBeLessThan(most * 0.2)
  })

  it('obeys the service up to a cap', () => {
    expect(delayOf(1, {}, 1500)).toBe(1500)
    expect(delayOf(1, {}, 86_400_000)).toBe(30_000)
    expect(delayOf(1, { retryAfterMs: 10 }, 1500)).toBe(10)
  })
})

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')

  it.each([
    ['3', 3000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', null],
    ['', null],
    [null, null],
  ])('reads %j', (value, ms) => expect(parseRetryAfter(value, now)).toBe(ms))
})
