import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { incomeInsufficient } from './income-insufficient.ts'

const passes = (monthly_income: number, minimum_monthly_income: number) => {
  const lead = leadWith(body => {
    body.customer.profile = { occupation: 'other', monthly_income }
  })
  return incomeInsufficient.judge(factsOf({ lead, product: productWith({ minimum_monthly_income }) })).passes
}

describe('income_insufficient', () => {
  it('accepts the threshold and refuses one euro less [2.12/income_insufficient]', () => {
    expect([passes(600, 600), passes(599, 600)]).toEqual([true, false])
  })

  it('turns at the threshold of any product [2.12/income_insufficient]', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: -1000, max: 1000 }), (threshold, distance) => {
        expect(passes(threshold + distance, threshold)).toBe(distance >= 0)
      }),
    )
  })

  it('passes a lead without a profile [2.2/profile]', () => {
    expect(incomeInsufficient.judge(factsOf())).toEqual({ passes: true, input: 'not stated' })
  })
})
