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
  /** The submission, its defaults filled in. */
  submission: Lead
  /** Every check of the decision. */
  trace: TraceStep[]
  /** The advertisers that were asked, in the order of asking. */
  deliveries: OfferResponse[]
}

/** The result of one check. `forced` is that of a forced outcome; a check after a rejection is `skipped`. */
export type Verdict = 'passed' | 'rejected' | 'skipped' | 'forced'

/** One check of a decision. */
export interface TraceStep {
  check: string
  verdict: Verdict
  /** The value that was checked. */
  input?: unknown
  /** The value that the input was compared with. */
  threshold?: unknown
  /** A hint for getting another verdict. */
  hint?: string
}

/** The response of one advertiser that was offered a lead. */
export interface OfferResponse {
  advertiser_id: string
  name: string
  decision: 'accepted' | 'declined'
  /** Reasons for declining. Empty if it accepted. */
  reasons: string[]
  /** The redirect URL of the customer; set only if it accepted. */
  redirect_url?: string
}

/** Returns the responses of the advertisers that accepted the lead. */
export function acceptedOf(deliveries: readonly OfferResponse[]): OfferResponse[] {
  return deliveries.filter(delivery => delivery.decision === 'accepted')
}

/** Returns true if an advertiser has a lead, and may therefore report on it. */
export function isHolder(deliveries: readonly OfferResponse[], advertiserId: string): boolean {
  return acceptedOf(deliveries).some(({ advertiser_id }) => advertiser_id === advertiserId)
}

/** One e-mail address within one product. */
export interface CustomerRecord {
  /** The lead that has the address; undefined while none was created. */
  lead_id?: string | undefined
  /** The time when a rule last rejected the address, milliseconds since 1970 on the tenant's clock. */
  refused_at?: number | undefined
}

/** The form by which an advertiser reported (Spec 4.2, 4.3). */
export type Via = 'pixel' | 'body'

/** A stored event. One lead has an event of one advertiser once. */
export interface EventRecord {
  lead_id: string
  advertiser_id: string
  /** The canonical name, which identifies the event. */
  event: string
  /** The name it was reported by. */
  reported_as: string
  via: Via
  ref?: string | undefined
  metadata?: StatusFigures | undefined
  /** Milliseconds since 1970 on the tenant's clock. */
  recorded_at: number
}

export interface CallbackAttempt {
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  /** The receiver's HTTP status, if it responded. */
  status?: number
  /** The reason that there was no response, or that it does not count. */
  error?: string
  /** The duration, milliseconds of real time. */
  ms: number
}

export type CallbackState = 'pending' | 'delivered' | 'failed'

/** A stored notification of the publisher (Spec 6.2). */
export interface CallbackRecord {
  callback_id: string
  lead_id: string
  /** The name it carries for the event. */
  event: string
  /** The URL that it goes to, `lead_id` and `event` set on it. */
  url: string
  state: CallbackState
  attempts: CallbackAttempt[]
  /** The time when the next attempt is due, milliseconds since 1970 on the tenant's clock; undefined if there is none. */
  due_at?: number | undefined
  /** The number of attempts when it was resent by hand: its retries count from there. */
  resent_after?: number | undefined
}

/** The end of a try, and when the next one is due. */
export interface AttemptOutcome {
  callback_id: string
  url: string
  attempt: CallbackAttempt
  state: CallbackState
  due_at?: number | undefined
}
