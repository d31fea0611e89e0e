import { loanTermBounds } from '@lead-distribution/contract'
import type { AdvertiserCriteria } from '@lead-distribution/engine'

/** The criteria of an advertiser that names none of its own; nobody takes more than 50000 euros, so that leads can stay `new`. */
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
