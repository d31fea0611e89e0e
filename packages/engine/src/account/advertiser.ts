import type { LoanPurpose } from '@lead-distribution/contract'
import type { Band } from './product.ts'

/** Which leads an advertiser takes. */
export interface AdvertiserCriteria {
  /** The amounts it lends, whole euros. */
  loan_amount: Band
  /** The terms it lends for, months. */
  loan_term_months: Band
  /** The purposes it does not lend for. */
  loan_purposes_excluded: LoanPurpose[]
  /** The least net monthly income it lends to, whole euros; a lead that states none is taken. */
  minimum_monthly_income: number
}

/** An advertiser (lender) of a tenant. */
export interface Advertiser {
  /** Its id, a UUID. */
  advertiser_id: string
  /** Its name, for people. */
  name: string
  /** Its place in the ping tree: the lowest is asked first. */
  priority: number
  /** The secret that signs its postback URLs (Spec 5). */
  postback_secret: string
  /** Which leads it takes. */
  criteria: AdvertiserCriteria
}
