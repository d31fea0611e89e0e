import type { Consents } from './consents.ts'
import type { Customer } from './customer.ts'
import type { LoanProductData } from './loan-product-data.ts'
import type { Tracking } from './tracking.ts'

/** The body of `POST /lead`: one customer's loan application (Spec 2.1). */
export interface LeadSubmission {
  /** The product applied for; a UUID issued by the service's operator. */
  product_id: string
  /** The publisher that submits; a UUID issued by the service's operator together with the API key. */
  publisher_id: string
  /** Who applies. */
  customer: Customer
  /** What is applied for. */
  product_data: LoanProductData
  /** What the customer has agreed to. */
  consents: Consents
  /** Where the lead comes from: campaign attribution. */
  tracking?: Tracking
}
