import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationMs } from '../duration.ts'
import { accountWith, factsOf, noon } from '../facts.fixture.ts'
import { duplicateSubmission } from './duplicate-submission.ts'

const passesAfter = (ms: number, duplicate_window: string) =>
  duplicateSubmission.judge(
    factsOf({ account: accountWith({ duplicate_window }), customer: { refused_at: noon - ms } }),
  ).passes

describe('duplicate_submission', () => {
  it('holds for a millisecond less than the window and is over at exactly its length [2.12/duplicate_submission]', () => {
    expect([passesAfter(0, 'PT60S'), passesAfter(59_999, 'PT60S'), passesAfter(60_000, 'PT60S')]).toEqual([
      false,
      false,
      true,
    ])
  })

  it('turns at the length of any window [2.12/duplicate_submission]', () => {
    const windows = fc.constantFrom('PT0.001S', 'PT1S', 'PT1M30S', 'PT24H', 'P7D', 'P2W')
    fc.assert(
      fc.property(windows, fc.integer({ min: -1, max: 5 }), (window, distance) => {
        expect(passesAfter(durationMs(window) + distance, window)).toBe(distance >= 0)
      }),
    )
  })

  it('is turned off by a window of no length, also in the same millisecond [2.12/duplicate_submission]', () => {
    expect(passesAfter(0, 'PT0S')).toBe(true)
  })

  it('passes a customer who was never refused', () => {
    expect(duplicateSubmission.judge(factsOf({ customer: {} }))).toEqual({ passes: true })
    expect(duplicateSubmission.judge(factsOf())).toEqual({ passes: true })
  })

  it('tells how long ago the refusal was', () => {
    const judgement = duplicateSubmission.judge(factsOf({ customer: { refused_at: noon - 1500 } }))
    expect(judgement).toMatchObject({ passes: false, input: 'refused 1.5 s ago', threshold: 'PT60S' })
  })
})
