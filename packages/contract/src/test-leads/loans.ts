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

/** The loan that a test lead applies for where the criteria leave the choice. */
export const usualLoan: LoanProductData = { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 }

/** Every purpose, the usual one first. */
const purposes = [usualLoan.loan_purpose, ...loanPurposes.filter(purpose => purpose !== usualLoan.loan_purpose)]

/** Returns the loan inside these bands that is nearest to the usual one. */
function nearestLoan({ loan_amount, loan_term_months }: LoanBands): LoanProductData {
  return {
    ...usualLoan,
    loan_amount: nearestInside(loan_amount, usualLoan.loan_amount),
    loan_term_months: nearestInside(loan_term_months, usualLoan.loan_term_months),
  }
}

/**
 * Returns a loan that the product allows and an advertiser accepts: the first that can.
 * @throws Error no advertiser accepts one.
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
    'No advertiser accepts a loan that the product allows: let the loan_amount and the loan_term_months of one reach into those of the product, and take a purpose off its loan_purposes_excluded.',
  )
}

/**
 * Returns a loan that passes the rules and that no advertiser accepts: by its amount if possible, else its term, purpose or
 * income.
 * @throws Error some advertiser accepts every lead that passes.
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
    'Some advertiser accepts every lead that passes the rules: let the loan_amount of every advertiser end below that of the product.',
  )
}

/** Returns a profile that passes the rules with the lowest income; undefined if every occupation is excluded. */
function poorestProfile({ criteria }: PublishedAccount['products'][number]): Profile | undefined {
  const occupation = occupationTypes.find(each => !criteria.occupations_excluded.includes(each))
  return occupation && { occupation, monthly_income: criteria.minimum_monthly_income }
}

/** Returns numbers inside a band. If any of it is outside all `others`, one of these is. */
function gapCandidates(band: Band, others: readonly Band[]): number[] {
  const beginnings = [band.min, ...others.map(({ max }) => max + 1)]
  return [...new Set(beginnings)].filter(value => isInside(band, value))
}
