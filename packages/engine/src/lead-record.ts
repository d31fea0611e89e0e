import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import type { Lead, StatusFigures } from '@lead-distribution/contract/shapes'

/** A stored lead. Times are milliseconds since 1970 on the tenant's clock. */
export interface LeadRecord {
  lead_id: string
  product_id: string
  /** The customer's e-mail address, in lower case. */
  email: string
  status: LeadStatus
  rejection_reason?: RejectionReason
  received_at: number
  /** The submission, with its defaults filled in. */
  submission: Lead
  /** Every check of the decision. */
  trace: TraceStep[]
  /** The advertisers that the lead was offered to, in order. */
  deliveries: OfferResponse[]
}

/** The result of a check. A forced outcome's check is `forced`; every check after a rejection is `skipped`. */
export type Verdict = 'passed' | 'rejected' | 'skipped' | 'forced'

/** One check of a decision. */
export interface TraceStep {
  check: string
  verdict: Verdict
  /** The checked value. */
  input?: unknown
  /** The value that the input was compared with. */
  threshold?: unknown
  /** A hint for a different verdict. */
  hint?: string
}

/** An advertiser's response to a lead offered to it. */
export interface OfferResponse {
  advertiser_id: string
  name: string
  decision: 'accepted' | 'declined'
  /** Reasons for declining. Empty if it accepted. */
  reasons: string[]
  /** The customer's redirect URL. Set only if the advertiser accepted. */
  redirect_url?: string
}

/** Returns the responses of the advertisers that accepted the lead. */
export function acceptedOf(deliveries: readonly OfferResponse[]): OfferResponse[] {
  return deliveries.filter(delivery => delivery.decision === 'accepted')
}

/** Returns true if the lead was distributed to the advertiser, which may therefore report on it. */
export function isHolder(deliveries: readonly OfferResponse[], advertiserId: string): boolean {
  return acceptedOf(deliveries).some(({ advertiser_id }) => advertiser_id === advertiserId)
}

/** One e-mail address within one product. */
export interface CustomerRecord {
  /** The lead that owns the address; undefined before one is created. */
  lead_id?: string | undefined
  /** The time when a rule last rejected the address, in milliseconds since 1970 on the tenant's clock. */
  refused_at?: number | undefined
}

/** The form in which an advertiser reported (Spec 4.2, 4.3). */
export type Via = 'pixel' | 'body'

/** A stored event. Unique by lead, advertiser and event. */
export interface EventRecord {
  lead_id: string
  advertiser_id: string
  /** The canonical name, which identifies the event. */
  event: string
  /** The name under which it was reported. */
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
  /** The reason why there was no response, or why it doesn't count. */
  error?: string
  /** The duration, in milliseconds of real time. */
  ms: number
}

export type CallbackState = 'pending' | 'delivered' | 'failed'

/** A stored notification of the publisher (Spec 6.2). */
export interface CallbackRecord {
  callback_id: string
  lead_id: string
  /** The event name that it carries. */
  event: string
  /** The URL that it is sent to, including `lead_id` and `event`. */
  url: string
  state: CallbackState
  attempts: CallbackAttempt[]
  /**
   * The time when the next attempt is due, in milliseconds since 1970 on the tenant's clock; undefined if there is
   * none.
   */
  due_at?: number | undefined
  /** The number of attempts when it was manually resent: its retries count from there. */
  resent_after?: number | undefined
}

/** The outcome of an attempt, and the time when the next one is due. */
export interface AttemptOutcome {
  callback_id: string
  url: string
  attempt: CallbackAttempt
  state: CallbackState
  due_at?: number | undefined
}
