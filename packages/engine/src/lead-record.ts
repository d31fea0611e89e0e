import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { TraceStep } from './trace.ts'

/** What one advertiser said to a lead that it was asked about. */
export interface Delivery {
  /** The advertiser. */
  advertiser_id: string
  /** Its name. */
  name: string
  /** What it said. */
  decision: 'accepted' | 'declined'
  /** Why it declined; empty where it accepted. */
  reasons: string[]
  /** Where it wants the customer; only where it accepted. */
  redirect_url?: string
}

/** A lead as it is kept. Times are milliseconds since 1970 on the tenant's clock. */
export interface LeadRecord {
  lead_id: string
  product_id: string
  /** The customer's address, in lower case. */
  email: string
  status: LeadStatus
  rejection_reason?: RejectionReason
  received_at: number
  /** What was submitted, its defaults filled in. */
  submission: Lead
  /** Every check of the decision. */
  trace: TraceStep[]
  /** The advertisers that were asked, in the order of asking. */
  deliveries: Delivery[]
}
