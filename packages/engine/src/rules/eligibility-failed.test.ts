import { occupationTypes } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { eligibilityFailed } from './eligibility-failed.ts'

const passes = (data: { loan_amount?: number; loan_term_months?: number }, criteria = {}) => {
  const lead = leadWith(body => {
    Object.assign(body.product_data, data)
  })
  return eligibilityFailed.judge(factsOf({ lead, product: productWith(criteria) })).passes
}

describe('eligibility_failed', () => {
  it.each([
    ['loan_amount', 999, false],
    ['loan_amount', 1000, true],
    ['loan_amount', 20_000, true],
    ['loan_amount', 20_001, false],
    ['loan_term_months', 5, false],
    ['loan_term_months', 6, true],
    ['loan_term_months', 60, true],
    ['loan_term_months', 61, false],
  ])('judges a %s of %i by the band of the product: %s [2.12/eligibility_failed]', (field, value, expected) => {
    expect(passes({ [field]: value })).toBe(expected)
  })

  it('turns at both ends of any band, both ends inside [2.12/eligibility_failed]', () => {
    const inside = fc.integer({ min: 501, max: 74_999 })
    fc.assert(
      fc.property(inside, inside, (a, b) => {
        const band = { min: Math.min(a, b), max: Math.max(a, b) }
        const at = (loan_amount: number) => passes({ loan_amount }, { loan_amount: band })
        expect([at(band.min - 1), at(band.min), at(band.max), at(band.max + 1)]).toEqual([false, true, true, false])
      }),
      { numRuns: 50 },
    )
  })

  it.each(occupationTypes)(
    'refuses the occupation %s only where it is excluded [2.12/eligibility_failed]',
    occupation => {
      const lead = leadWith(body => {
        body.customer.profile = { occupation, monthly_income: 2000 }
      })
      const judge = (occupations_excluded: (typeof occupation)[]) =>
        eligibilityFailed.judge(factsOf({ lead, product: productWith({ occupations_excluded }) })).passes
      expect([judge([occupation]), judge([])]).toEqual([false, true])
    },
  )

  it('names all that fails in its hint', () => {
    const lead = leadWith(body => {
      body.product_data.loan_amount = 500
      body.product_data.loan_term_months = 84
      body.customer.profile = { occupation: 'unemployed', monthly_income: 2000 }
    })
    expect(eligibilityFailed.judge(factsOf({ lead })).hint).toContain('loan_amount, loan_term_months, occupation')
  })
})
