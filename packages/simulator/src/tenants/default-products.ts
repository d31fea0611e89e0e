import { loanAmountBounds, loanTermBounds } from '@lead-distribution/contract'
import type { ProductCriteria } from '@lead-distribution/engine'

/** The criteria of a product that names none of its own. */
export const defaultProductCriteria: ProductCriteria = {
  min_age: 18,
  max_age: 75,
  minimum_monthly_income: 600,
  countries: ['ES'],
  loan_amount: { ...loanAmountBounds },
  loan_term_months: { ...loanTermBounds },
  occupations_excluded: ['unemployed'],
  // TEST-NET-1 (RFC 5737): no customer is there.
  fraud_ip_ranges: ['192.0.2.0/24'],
}

/** The products of a new tenant. */
export const defaultProducts = [
  { label: 'active', name: 'Personal loan', active: true },
  { label: 'inactive', name: 'Discontinued loan', active: false },
] as const
