import * as z from 'zod/mini'
import { loanPurposes } from '../enumerations.ts'
import { loanAmountBounds, loanTermBounds } from './loan-product-data.ts'

/** The shape of the loan applied for (Spec 2.8). */
export const loanProductData = z.object({
  loan_amount: z.int().check(z.gte(loanAmountBounds.min), z.lte(loanAmountBounds.max)),
  loan_purpose: z.enum(loanPurposes),
  loan_term_months: z.int().check(z.gte(loanTermBounds.min), z.lte(loanTermBounds.max)),
})
