import { defaultsOf, productCriteria } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { passingValue } from './try-with.ts'

const { min_age, max_age, loan_amount, loan_term_months, occupations_excluded } = defaultsOf(productCriteria)
const ages = { min_age, max_age }
const bands = { loan_amount, loan_term_months, occupations_excluded }
const born = (birthday: string) => ({ customer: { personal_data: { birthday } } })

describe('a value that passes the check', () => {
  it.each([
    [{ check: 'income', input: 200, threshold: 600 }, {}, '600', 'customer.profile.monthly_income', 600],
    [{ check: 'geography', input: 'FR', threshold: ['ES', 'PT'] }, {}, 'ES', 'customer.address.country', 'ES'],
    [
      { check: 'age', input: 17, threshold: ages },
      born('2009-03-14'),
      '18 years',
      'customer.personal_data.birthday',
      '2008-03-14',
    ],
    [
      { check: 'age', input: 16, threshold: ages },
      born('2008-02-29'),
      '18 years',
      'customer.personal_data.birthday',
      '2006-02-28',
    ],
    // In a common year, the customer turns a year older on March 1, so February 28 would be too old on that day.
    [
      { check: 'age', input: 105, threshold: ages },
      born('1920-02-29'),
      '75 years',
      'customer.personal_data.birthday',
      '1950-03-01',
    ],
    [
      { check: 'eligibility', input: { loan_amount: 1_000_000, loan_term_months: 12 }, threshold: bands },
      {},
      String(loan_amount.max),
      'product_data.loan_amount',
      loan_amount.max,
    ],
  ])('is the nearest valid value: %j', (step, submission, shown, field, value) => {
    expect(passingValue(step, submission)).toEqual({ shown, field, value })
  })

  it.each([
    { check: 'blacklist', input: 'X', threshold: undefined },
    { check: 'eligibility', input: { loan_amount: 1_000_000, loan_term_months: 1_000 }, threshold: bands },
    {
      check: 'eligibility',
      input: { loan_amount: 1_000_000, loan_term_months: 12, occupation: 'unemployed' },
      threshold: bands,
    },
    {
      check: 'eligibility',
      input: { loan_amount: 1_000, loan_term_months: 12, occupation: 'unemployed' },
      threshold: bands,
    },
  ])('is none without a threshold, or if several fields fail: %j', step => {
    expect(passingValue(step, {})).toBeUndefined()
  })
})
