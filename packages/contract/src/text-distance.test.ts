import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { textDistance } from './text-distance.ts'

it.each([
  ['wedding', 'wedding', 0],
  ['wedding', 'weding', 1],
  ['wedding', 'weddings', 1],
  ['wedding', 'wexding', 1],
  ['wedding', 'wedidng', 1],
  ['wedding', 'edwding', 2],
  ['', 'abc', 3],
  ['ab', 'ba', 1],
])('from %s to %s it is %d', (a, b, distance) => {
  expect(textDistance(a, b)).toBe(distance)
})

it('is the same both ways, nothing between equals alone, and at most the longer length', () => {
  const text = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const distance = textDistance(a, b)
      expect(textDistance(b, a)).toBe(distance)
      expect(distance === 0).toBe(a === b)
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
    }),
  )
})

it('is one for two neighbours swapped', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (head, tail) => {
      expect(textDistance(`${head}ab${tail}`, `${head}ba${tail}`)).toBe(1)
    }),
  )
})
