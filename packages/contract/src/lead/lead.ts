import type { LeadStatus, LoanPurpose, RejectionReason } from '../enumerations.ts'
import type { Customer } from './customer.ts'

/** The body of `POST /lead`: one customer's loan application. */ // Spec 2.1
export interface LeadSubmission {
  /** The product applied for; a UUID issued by the service's operator. */
  product_id: string
  /** The publisher that submits the lead; a UUID issued by the service's operator together with the API key. */
  publisher_id: string
  /** The person that applies. */
  customer: Customer
  /** What is applied for. */
  product_data: LoanProductData
  /** What the customer has agreed to. */
  consents: Consents
  /** Where the lead comes from: campaign attribution. */
  tracking?: Tracking | undefined
}

/** The least and the most that can be applied for, whole euros, both inclusive. */ // Spec 2.8, 8
export const loanAmountBounds = { min: 500, max: 75_000 } as const

/** The shortest and the longest term, months, both inclusive. */ // Spec 2.8, 8
export const loanTermBounds = { min: 3, max: 84 } as const

/** How many items a list of a lead holds at most, consents or financial instruments. The specification shows no bound. */
export const maxListItems = 100

/** What is applied for. */ // Spec 2.8
export interface LoanProductData {
  /** Amount, whole euros, from 500 to 75000 inclusive. */
  loan_amount: number
  /** Why the customer borrows. */
  loan_purpose: LoanPurpose
  /** Term, months, from 3 to 84 inclusive. */
  loan_term_months: number
}

/** The consents without which no lead is processed. */ // Spec 2.9, 8
export const requiredConsents = ['terms', 'privacy_policy'] as const

/** What the customer has agreed to. */ // Spec 2.9
export interface Consents {
  /** One entry for each consent, at most 100; `terms` and `privacy_policy` must be there, accepted. */
  entries: ConsentEntry[]
  /** How the consents were collected; the formal schema requires it, the prose does not. */
  metadata?: ConsentMetadata | undefined
}

/** One consent. */ // Spec 2.9
export interface ConsentEntry {
  /** The consent's name: `terms`, `privacy_policy`, `marketing` or another name that the publisher sets. */
  type: string
  /** Whether the customer accepted. */
  accepted: boolean
  /** When the customer accepted, RFC 3339 with a zone; `null` for a consent not accepted. */
  accepted_at: string | null
  /** Version label of the consent document. */
  version: string
  /** URL of the exact document that was accepted. Recommended for audits. */
  document_url?: string | null | undefined
}

/** How the consents were collected. */ // Spec 2.9
export interface ConsentMetadata {
  /** IPv4 address that the customer agreed from. */
  ip_address: string
  /** User agent that the customer agreed with. */
  user_agent?: string | undefined
  /** When the consents were collected, RFC 3339 with a zone. */
  collected_at: string
}

/** An accepted consent has the time of its acceptance; otherwise `field` has this issue. */ // Spec 2.9
export const acceptedSaysWhen = {
  field: 'accepted_at',
  issue: 'must say when the consent was accepted: null is for a consent that was not accepted',
  /** Whether an entry has the time, or was not accepted. */
  holds: (entry: { accepted?: unknown; accepted_at?: unknown }): boolean =>
    !(entry.accepted === true && entry.accepted_at === null),
} as const

/** Where a lead comes from: campaign attribution. */ // Spec 2.10
export interface Tracking {
  /** Id of the click that brought the customer. */
  click_id?: string | undefined
  /** The publisher's own sub-id. */
  sub_id?: string | undefined
  /** Id of the campaign. */
  campaign_id?: string | undefined
  /** URL of the site where the lead originated. */
  source?: string | undefined
}

/** The reply of `POST /lead`. */ // Spec 2.12
export interface LeadResponse {
  /** Id of the lead, a UUID; absent or null where no lead was created. */
  lead_id?: string | null
  /** The result of the submission. */
  status: LeadStatus
  /** Where to send the customer; only where `status` is `distributed`. */
  redirect_url?: string | null
  /** Why the lead is rejected; only where `status` is `rejected`. */
  rejection_reason?: RejectionReason | null
}
