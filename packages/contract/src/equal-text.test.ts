import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalText } from './equal-text.ts'

describe('comparing in constant time', () => {
  it('says what === says', () => {
    const text = fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '\0', 'é') })
    fc.assert(
      fc.property(text, text, (a, b) => equalText(a, b) === (a === b)),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['', ''],
    ['a', ''],
    ['', 'a'],
    ['abab', 'ab'],
    ['ab', 'abab'],
    ['\0', ''],
  ])('tells %j from %j', (a, b) => {
    expect(equalText(a, b)).toBe(a === b)
  })
})
