import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationMs, isDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['PT0S', 0],
    ['P0D', 0],
    ['PT60S', 60_000],
    ['PT5M', 300_000],
    ['PT2H', 7_200_000],
    ['PT1H30M', 5_400_000],
    ['P1D', 86_400_000],
    ['P1DT12H', 129_600_000],
    ['P2W', 1_209_600_000],
    ['P12W', 7_257_600_000],
    ['PT0.001S', 1],
    ['PT1.5S', 1500],
    ['PT36H', 129_600_000],
  ])('%s is %i ms long', (text, ms) => {
    expect([isDuration(text), durationMs(text)]).toEqual([true, ms])
  })

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    '60',
    'PT60',
    '60S',
    'pt60s',
    'PT-1S',
    '-PT1S',
    'P1M',
    'P1Y',
    'P1W2D',
    'PT1M1H',
    'PT1.0001S',
    'PT.5S',
    'PT1.5M',
    ' PT1S',
    'PT1S\n',
  ])('rejects %j', text => {
    expect(isDuration(text)).toBe(false)
    expect(() => durationMs(text)).toThrow(RangeError)
    expect(() => durationMs(text)).toThrow('Write a duration such as PT60S')
  })

  it('equals the sum of its parts', async () => {
    const part = fc.nat(1000)
    await fc.assert(
      fc.property(part, part, part, part, (days, hours, minutes, seconds) => {
        const whole = durationMs(`P${days}DT${hours}H${minutes}M${seconds}S`)
        expect(whole).toBe((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
      }),
    )
  })
})
