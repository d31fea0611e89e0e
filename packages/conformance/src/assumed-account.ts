import { loanAmountBounds, loanPurposes, loanTermBounds } from '@lead-distribution/contract'
import type { PublishedAccount } from '@lead-distribution/test-leads'
import type { Facts } from './facts.ts'

/**
 * The account that leads are built by where the target publishes none: its product and its advertiser take whatever
 * the specification allows. Only ordinary leads are built by it, and nothing is concluded from it.
 */
export function assumedAccount({ publisher, product_id }: Facts): PublishedAccount {
  const loan = { loan_amount: loanAmountBounds, loan_term_months: loanTermBounds }
  const criteria = { ...loan, minimum_monthly_income: 0 }
  const anyone = { min_age: 18, max_age: 75, countries: ['ES'], occupations_excluded: [], fraud_ip_ranges: [] }
  return {
    publisher,
    products: [{ product_id, active: true, criteria: { ...criteria, ...anyone } }],
    advertisers: [{ criteria: { ...criteria, loan_purposes_excluded: loanPurposes.slice(0, 0) } }],
    blacklist: [],
  }
}
