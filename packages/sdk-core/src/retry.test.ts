import { describe, expect, it } from 'vitest'
import { delayOf, parseRetryAfter } from './retry.ts'

const longest = 2_147_483_647

describe('delayOf', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [5, 8000],
    [40, 8000],
  ])('jitters the delay after failure %i between 0 and %i ms', (failures, most) => {
    const waits = Array.from({ length: 400 }, () => delayOf(failures, null))
    expect(Math.max(...waits)).toBeLessThan(most)
    expect(Math.max(...waits)).toBeGreaterThan(most * 0.8)
    expect(Math.min(...waits)).toBeLessThan(most * 0.2)
  })

  it('honors Retry-After up to a cap', () => {
    expect(delayOf(1, 1500)).toBe(1500)
    expect(delayOf(1, 0)).toBe(0)
    expect(delayOf(1, 86_400_000)).toBe(30_000)
    expect(delayOf(1, Number.POSITIVE_INFINITY)).toBe(30_000)
  })
})

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')

  it.each([
    ['3', 3000],
    [' 0 ', 0],
    ['0x10', null],
    ['1e9', null],
    ['Infinity', null],
    ['+5', null],
    ['5s', null],
    ['3, 5', null],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    ['Thursday, 01-Jan-26 00:00:09 GMT', 9000],
    ['Thu Jan  1 00:00:09 2026', 9000],
    ['Thu, 32 Jan 2026 00:00:09 GMT', null],
    ['soon 5 GMT', null],
    ['2026-01-01T00:00:09Z', null],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Thu, 01 Jan 2026 00:00:09 GMT ', 9000],
    ['Thu, 01 Jan 2026 00:00:09 GMT or so', null],
    ['soon', null],
    ['-5', null],
    ['2147483', 2_147_483_000],
    ['1'.repeat(400), longest],
    ['Fri, 31 Dec 2199 23:59:59 GMT', longest],
    ['', null],
    [null, null],
  ])('reads %j', (value, ms) => expect(parseRetryAfter(value, now)).toBe(ms))
})
