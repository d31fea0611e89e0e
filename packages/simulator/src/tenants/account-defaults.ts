import { loanAmountBounds, loanTermBounds } from '@lead-distribution/contract'
import type { AdvertiserCriteria, BlacklistEntry, ProductCriteria } from '@lead-distribution/engine'

/** The criteria of an advertiser that names none; none takes more than 50000 euros, so that leads can stay `new`. */
export const defaultAdvertiserCriteria: AdvertiserCriteria = {
  loan_amount: { min: 500, max: 50_000 },
  loan_term_months: { ...loanTermBounds },
  loan_purposes_excluded: [],
  minimum_monthly_income: 0,
}

/** The advertisers of a new tenant, in the order in which they are asked. */
export const defaultAdvertisers = [
  {
    label: 'first',
    name: 'Crédito Alba',
    criteria: { ...defaultAdvertiserCriteria, loan_amount: { min: 500, max: 10_000 } },
  },
  {
    label: 'second',
    name: 'Banco Brisa',
    criteria: { ...defaultAdvertiserCriteria, loan_amount: { min: 3_000, max: 30_000 }, minimum_monthly_income: 1_200 },
  },
  { label: 'third', name: 'Caja Cumbre', criteria: defaultAdvertiserCriteria },
] as const

/** The criteria of a product that names none. */
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

/** The blacklist of a new tenant: a document number that does not exist, so that real data can reach `blacklisted`. */
export const defaultBlacklist: readonly BlacklistEntry[] = [{ identification_number: 'BLACKLISTED-1' }]
