import type { LoanPurpose } from '../enumerations.ts'

/** The least and the most that can be applied for, whole euros, both inclusive (Spec 2.8, 8). */
export const loanAmountBounds = { min: 500, max: 75_000 } as const

/** The shortest and the longest term, months, both inclusive (Spec 2.8, 8). */
export const loanTermBounds = { min: 3, max: 84 } as const

/** What is applied for (Spec 2.8). */
export interface LoanProductData {
  /** Amount, whole euros, from 500 to 75000 inclusive. */
  loan_amount: number
  /** Why the customer borrows. */
  loan_purpose: LoanPurpose
  /** Term, months, from 3 to 84 inclusive. */
  loan_term_months: number
}
