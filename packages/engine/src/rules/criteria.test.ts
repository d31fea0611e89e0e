import { occupationTypes } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { eligibilityFailed } from './eligibility-failed.ts'
import { fraudSuspected } from './fraud-suspected.ts'
import { geographicRestriction } from './geographic-restriction.ts'
import { incomeInsufficient } from './income-insufficient.ts'

describe('fraud_suspected', () => {
  const passes = (ip_address: string, fraud_ip_ranges: string[]) => {
    const lead = leadWith(body => {
      body.consents.metadata = { ip_address, collected_at: '2026-06-15T09:30:00Z' }
    })
    return fraudSuspected(factsOf({ lead, product: productWith({ fraud_ip_ranges }) })).passes
  }

  it.each([
    ['192.0.1.255', true],
    ['192.0.2.0', false],
    ['192.0.2.255', false],
    ['192.0.3.0', true],
  ])('judges %s by the network 192.0.2.0/24: passes %s [2.12/fraud_suspected]', (address, expected) => {
    expect(passes(address, ['192.0.2.0/24'])).toBe(expected)
  })

  it('checks every network of the product [2.12/fraud_suspected]', () => {
    expect(passes('198.51.100.7', ['192.0.2.0/24', '198.51.100.7/32'])).toBe(false)
    expect(passes('198.51.100.8', ['192.0.2.0/24', '198.51.100.7/32'])).toBe(true)
    expect(passes('192.0.2.1', [])).toBe(true)
  })

  it('passes a lead without consent metadata [2.9/metadata]', () => {
    expect(fraudSuspected(factsOf())).toEqual({ passes: true, input: 'not stated' })
  })
})

describe('income_insufficient', () => {
  const passes = (monthly_income: number, minimum_monthly_income: number) => {
    const lead = leadWith(body => {
      body.customer.profile = { occupation: 'other', monthly_income }
    })
    return incomeInsufficient(factsOf({ lead, product: productWith({ minimum_monthly_income }) })).passes
  }

  it('passes from exactly the threshold of any product [2.12/income_insufficient]', async () => {
    await fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: -1000, max: 1000 }), (threshold, distance) => {
        expect(passes(threshold + distance, threshold)).toBe(distance >= 0)
      }),
    )
  })

  it('passes a lead without a profile [2.2/profile]', () => {
    expect(incomeInsufficient(factsOf())).toEqual({ passes: true, input: 'not stated' })
  })
})

describe('geographic_restriction', () => {
  const judge = (address: object | undefined, countries = ['ES'], nacionality?: string) => {
    const lead = leadWith(body => {
      if (address) body.customer.address = address
      if (nacionality) body.customer.personal_data.nacionality = nacionality
    })
    return geographicRestriction(factsOf({ lead, product: productWith({ countries }) }))
  }

  it.each([
    ["accepts a country on the product's list", { country: 'ES' }, true],
    ['accepts it in lower case', { country: 'es' }, true],
    ['rejects any other country', { country: 'PT' }, false],
    ['treats an empty country as no country', { country: '' }, true],
    ['treats an address without a country as one in ES', { city: 'Burgos' }, true],
    ['passes a lead without an address', undefined, true],
  ])('%s [2.12/geographic_restriction]', (_title, address, passes) => {
    expect(judge(address).passes).toBe(passes)
  })

  it('rejects an empty country if ES is not on the list [2.12/geographic_restriction]', () => {
    for (const address of [{}, { country: '' }])
      expect(judge(address, ['PT'])).toMatchObject({ passes: false, input: 'ES' })
  })

  it('ignores the nationality [2.12/geographic_restriction]', () => {
    expect(judge({ country: 'ES' }, ['ES'], 'PT').passes).toBe(true)
    expect(judge({ country: 'PT' }, ['ES'], 'ES').passes).toBe(false)
  })

  it('rejects the default country if the product does not list it [2.5/country]', () => {
    expect(judge({}, ['PT']).passes).toBe(false)
  })
})

describe('eligibility_failed', () => {
  const passes = (data: { loan_amount?: number; loan_term_months?: number }, criteria = {}) => {
    const lead = leadWith(body => {
      Object.assign(body.product_data, data)
    })
    return eligibilityFailed(factsOf({ lead, product: productWith(criteria) })).passes
  }

  it.each([
    ['loan_term_months', 5, false],
    ['loan_term_months', 6, true],
    ['loan_term_months', 60, true],
    ['loan_term_months', 61, false],
  ])("judges a %s of %i by the product's range: %s [2.12/eligibility_failed]", (field, value, expected) => {
    expect(passes({ [field]: value })).toBe(expected)
  })

  it('includes both ends of any range [2.12/eligibility_failed]', async () => {
    const inside = fc.integer({ min: 501, max: 74_999 })
    await fc.assert(
      fc.property(inside, inside, (a, b) => {
        const band = { min: Math.min(a, b), max: Math.max(a, b) }
        const at = (loan_amount: number) => passes({ loan_amount }, { loan_amount: band })
        expect([at(band.min - 1), at(band.min), at(band.max), at(band.max + 1)]).toEqual([false, true, true, false])
      }),
      { numRuns: 50 },
    )
  })

  it.each(occupationTypes)('rejects the occupation %s only if it is excluded [2.12/eligibility_failed]', occupation => {
    const lead = leadWith(body => {
      body.customer.profile = { occupation, monthly_income: 2000 }
    })
    const judge = (occupations_excluded: (typeof occupation)[]) =>
      eligibilityFailed(factsOf({ lead, product: productWith({ occupations_excluded }) })).passes
    expect([judge([occupation]), judge([])]).toEqual([false, true])
  })

  it('shows the compared values, and an occupation only if stated', () => {
    const threshold = {
      loan_amount: { min: 1000, max: 20_000 },
      loan_term_months: { min: 6, max: 60 },
      occupations_excluded: productWith().criteria.occupations_excluded,
    }
    const input = { loan_amount: 5000, loan_term_months: 24 }
    expect(eligibilityFailed(factsOf())).toStrictEqual({
      passes: true,
      input,
      threshold,
      hint: expect.any(String),
      nearest: undefined,
    })
    const lead = leadWith(body => {
      body.customer.profile = { occupation: 'retired', monthly_income: 2000 }
    })
    expect(eligibilityFailed(factsOf({ lead })).input).toStrictEqual({ ...input, occupation: 'retired' })
  })

  it('passes a lead for an unknown product, which another rule rejects', () => {
    expect(eligibilityFailed(factsOf({ product: undefined }))).toEqual({ passes: true, input: 'not stated' })
  })

  it('names every failed criterion in its hint', () => {
    const lead = leadWith(body => {
      body.product_data.loan_amount = 500
      body.product_data.loan_term_months = 84
      body.customer.profile = { occupation: 'unemployed', monthly_income: 2000 }
    })
    expect(eligibilityFailed(factsOf({ lead })).hint).toContain('loan_amount, loan_term_months, occupation')
  })
})
