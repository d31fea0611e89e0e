import { type LoanProductData, loanAmountBounds, loanPurposes, loanTermBounds } from '@lead-distribution/contract'
import type { PublishedAdvertiser, PublishedBand, PublishedProduct } from './published-account.ts'

/** The loan that a test lead applies for where the criteria leave the choice. */
export const usualLoan: LoanProductData = { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 }

/** Every purpose, the usual one first. */
export const purposes = [usualLoan.loan_purpose, ...loanPurposes.filter(purpose => purpose !== usualLoan.loan_purpose)]

/** Bands of amounts, whole euros, and of terms, months. */
export interface LoanBands {
  readonly loan_amount: PublishedBand
  readonly loan_term_months: PublishedBand
}

/** The loans that the specification and the product allow. */
export function admittedLoans({ criteria }: PublishedProduct): LoanBands {
  const bands = sharedLoans(bounds, criteria)
  if (bands) return bands
  const { loan_amount, loan_term_months } = bounds
  throw new Error(
    `The product allows no loan that the specification allows: let its loan_amount reach into ${loan_amount.min} to ${loan_amount.max} and its loan_term_months into ${loan_term_months.min} to ${loan_term_months.max}.`,
  )
}

/** The loan nearest to the usual one inside of these bands. */
export function nearestLoan({ loan_amount, loan_term_months }: LoanBands): LoanProductData {
  return {
    ...usualLoan,
    loan_amount: nearest(usualLoan.loan_amount, loan_amount),
    loan_term_months: nearest(usualLoan.loan_term_months, loan_term_months),
  }
}

/** A loan that the product allows and an advertiser accepts: the first that can. */
export function takenLoan(product: PublishedProduct, advertisers: readonly PublishedAdvertiser[]): LoanProductData {
  const admitted = admittedLoans(product)
  for (const { criteria } of advertisers) {
    const bands = sharedLoans(admitted, criteria)
    const loan_purpose = purposes.find(purpose => !criteria.loan_purposes_excluded.includes(purpose))
    if (bands && loan_purpose) return { ...nearestLoan(bands), loan_purpose }
  }
  throw new Error(
    'No advertiser accepts a loan that the product allows: let the loan_amount and the loan_term_months of one reach into those of the product, and take a purpose off its loan_purposes_excluded.',
  )
}

/** An amount or a term that the specification allows and the product does not; undefined where it allows all. */
export function ineligibleLoan({ criteria }: PublishedProduct): Partial<LoanProductData> | undefined {
  const loan_amount = nextOutside(criteria.loan_amount, bounds.loan_amount)
  if (loan_amount !== undefined) return { loan_amount }
  const loan_term_months = nextOutside(criteria.loan_term_months, bounds.loan_term_months)
  return loan_term_months === undefined ? undefined : { loan_term_months }
}

const bounds: LoanBands = { loan_amount: loanAmountBounds, loan_term_months: loanTermBounds }

function sharedLoans(one: LoanBands, other: LoanBands): LoanBands | undefined {
  const loan_amount = shared(one.loan_amount, other.loan_amount)
  const loan_term_months = shared(one.loan_term_months, other.loan_term_months)
  return loan_amount && loan_term_months && { loan_amount, loan_term_months }
}

/** The intersection of bands; undefined where they share nothing. */
function shared(...bands: readonly PublishedBand[]): PublishedBand | undefined {
  const min = Math.max(...bands.map(band => band.min))
  const max = Math.min(...bands.map(band => band.max))
  return min > max ? undefined : { min, max }
}

/** The number inside of a band that is nearest to a wanted one. */
function nearest(wanted: number, { min, max }: PublishedBand): number {
  return Math.min(Math.max(wanted, min), max)
}

/** The number next to a band and inside another one; undefined where there is none. */
function nextOutside({ min, max }: PublishedBand, allowed: PublishedBand): number | undefined {
  return [min - 1, max + 1].map(value => nearest(value, allowed)).find(value => value < min || value > max)
}

/**
 * Numbers of a band. If any number of it is outside of all `others`, one of these is: a gap begins where the band begins
 * or after one of the others.
 */
export function gapCandidates(band: PublishedBand, others: readonly PublishedBand[]): number[] {
  const beginnings = [band.min, ...others.map(({ max }) => max + 1)]
  return [...new Set(beginnings)].filter(value => value >= band.min && value <= band.max)
}
