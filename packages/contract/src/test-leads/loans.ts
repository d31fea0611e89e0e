import {
  admittedLoans,
  type Band,
  isInside,
  type LoanBands,
  type LoanProductData,
  loanPurposes,
  nearestInside,
  occupationTypes,
  type Profile,
  type PublishedAccount,
  sharedBand,
  unmetCriteria,
} from '../index.ts'
import type { LeadChanges } from './lead-changes.ts'

/** The loan of a test lead if the criteria leave the choice. */
export const usualLoan: LoanProductData = { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 }

/** Every purpose, the default one first. */
const purposes = [usualLoan.loan_purpose, ...loanPurposes.filter(purpose => purpose !== usualLoan.loan_purpose)]

/** Returns the loan inside these ranges that is closest to the default one. */
function nearestLoan({ loan_amount, loan_term_months }: LoanBands): LoanProductData {
  return {
    ...usualLoan,
    loan_amount: nearestInside(loan_amount, usualLoan.loan_amount),
    loan_term_months: nearestInside(loan_term_months, usualLoan.loan_term_months),
  }
}

/**
 * Returns the first loan that the product allows and an advertiser accepts.
 * @throws Error if no advertiser accepts one.
 */
export function acceptedLoan(
  product: PublishedAccount['products'][number],
  advertisers: PublishedAccount['advertisers'],
): LeadChanges {
  const admitted = admittedLoans(product.criteria)
  for (const { criteria } of advertisers) {
    const loan_amount = sharedBand(admitted.loan_amount, criteria.loan_amount)
    const loan_term_months = sharedBand(admitted.loan_term_months, criteria.loan_term_months)
    const loan_purpose = purposes.find(purpose => !criteria.loan_purposes_excluded.includes(purpose))
    if (loan_amount && loan_term_months && loan_purpose)
      return { product_data: { ...nearestLoan({ loan_amount, loan_term_months }), loan_purpose } }
  }
  throw new Error(
    "No advertiser accepts a loan that the product allows: make one advertiser's loan_amount and loan_term_months overlap those of the product, and remove a purpose from its loan_purposes_excluded.",
  )
}

/**
 * Returns a loan that passes the rules but that no advertiser accepts: by its amount if possible, otherwise by its
 * term, purpose or income.
 * @throws Error if every lead that passes is accepted by some advertiser.
 */
export function declinedLoan(
  product: PublishedAccount['products'][number],
  advertisers: PublishedAccount['advertisers'],
): LeadChanges {
  const admitted = admittedLoans(product.criteria)
  const usual = nearestLoan(admitted)
  const candidates = (name: keyof LoanBands) => {
    const accepted = advertisers.map(({ criteria }) => criteria[name])
    return [usual[name], ...gapCandidates(admitted[name], accepted)]
  }
  const [amounts, terms] = [candidates('loan_amount'), candidates('loan_term_months')]
  for (const profile of [undefined, poorestProfile(product)])
    for (const loan_purpose of purposes)
      for (const loan_term_months of terms)
        for (const loan_amount of amounts) {
          const loan = { loan_amount, loan_purpose, loan_term_months }
          const isAccepted = advertisers.some(
            ({ criteria }) => unmetCriteria(criteria, loan, profile?.monthly_income).length === 0,
          )
          if (isAccepted) continue
          return { product_data: loan, ...(profile && { customer: { profile } }) }
        }
  throw new Error(
    'Some advertiser accepts every lead that passes the rules: set the maximum loan_amount of every advertiser below that of the product.',
  )
}

/** Returns the profile with the lowest income that passes the rules; undefined if every occupation is excluded. */
function poorestProfile({ criteria }: PublishedAccount['products'][number]): Profile | undefined {
  const occupation = occupationTypes.find(each => !criteria.occupations_excluded.includes(each))
  return occupation && { occupation, monthly_income: criteria.minimum_monthly_income }
}

/** Returns numbers inside a range, including one outside all `others` if there is any. */
function gapCandidates(band: Band, others: readonly Band[]): number[] {
  const beginnings = [band.min, ...others.map(({ max }) => max + 1)]
  return [...new Set(beginnings)].filter(value => isInside(band, value))
}
