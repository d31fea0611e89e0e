import { describe, expect, it } from 'vitest'
import { formatLength } from './format.ts'
import { msAt, placeOf, scaleOf } from './time-line.ts'

const day = 86_400_000

describe('a time line', () => {
  it('maps a place back to its time, to the second, and keeps the order of times', () => {
    const distances = [-400 * day, -day, -61_000, -1_000, 0, 1_000, 59_000, 3_601_000, 30 * day, 3_650 * day]
    expect(distances.map(ms => msAt(placeOf(ms)))).toEqual(distances)
    const places = distances.map(placeOf)
    expect(places.toSorted((one, other) => one - other)).toEqual(places)
  })

  it('reaches an hour back and a day ahead, or further if there are jobs', () => {
    expect(scaleOf([]).ticks.map(({ label }) => label)).toEqual(['−1 min', '+1 min', '−1 h', '+1 h', '+1 d'])
    const { from, to } = scaleOf([-2 * day, 40 * day])
    expect([msAt(from), msAt(to)]).toEqual([-30 * day, 365 * day])
    expect(msAt(scaleOf([4_000 * day]).to)).toBe(4_000 * day)
  })

  it.each([
    [500, 'less than 1 s'],
    [65_000, '1 min 5 s'],
    [-3_600_000, '1 h'],
    [day + 5_000, '1 d'],
    [400 * day, '1 y 35 d'],
  ])('formats %i ms as %s', (ms, text) => {
    expect(formatLength(ms)).toBe(text)
  })
})
