import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import type { Lead, StatusFigures } from '@lead-distribution/contract/shapes'

/** A stored lead. Times are milliseconds since 1970 on the tenant's clock. */
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

/** The result of one check. `forced` is that of a forced outcome; a check after a refusal is `skipped`. */
export type Verdict = 'passed' | 'rejected' | 'skipped' | 'forced'

/** One check of a decision. */
export interface TraceStep {
  /** The check's name. */
  check: string
  verdict: Verdict
  /** The value it looked at. */
  input?: unknown
  /** The value it compared the input with. */
  threshold?: unknown
  /** What to change for another verdict. */
  hint?: string
}

/** The answer of one advertiser that was asked about a lead. */
export interface Delivery {
  advertiser_id: string
  /** The advertiser's name. */
  name: string
  decision: 'accepted' | 'declined'
  /** Why it declined; empty where it accepted. */
  reasons: string[]
  /** Where it wants the customer; only where it accepted. */
  redirect_url?: string
}

/** What is known of one e-mail address of one product. */
export interface CustomerRecord {
  /** The lead that has the address; undefined while none was created. */
  lead_id?: string | undefined
  /** When a rule last refused the address, milliseconds since 1970 on the tenant's clock. */
  refused_at?: number | undefined
}

/** The form by which an advertiser reported (Spec 4.2, 4.3). */
export type Via = 'pixel' | 'body'

/** A stored event. One lead has an event of one advertiser once. */
export interface EventRecord {
  lead_id: string
  advertiser_id: string
  /** What identifies the event: the canonical name. */
  event: string
  /** The name it was reported by. */
  reported_as: string
  via: Via
  ref?: string | undefined
  metadata?: StatusFigures | undefined
  /** Milliseconds since 1970 on the tenant's clock. */
  recorded_at: number
}
