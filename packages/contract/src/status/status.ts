import type { PixelEvent } from '../events.ts'

/** The body of `POST /lead/{lead_id}/status`. */ // Spec 4.2
export interface StatusUpdate {
  /** What happened to the lead: `converted`, or an event name of either list. */
  status: string
  /** The advertiser that reports; a UUID, and the API key's own. */
  advertiser_id?: string
  /** Figures of the loan. */
  metadata?: StatusMetadata
}

/** Figures of the loan that a status update reports. */ // Spec 4.2
export interface StatusMetadata {
  /** Amount of the loan, euros. */
  amount?: number
  /** Term of the loan, whole months. */
  term_months?: number
}

/** The reply of `POST /lead/{lead_id}/status`. */ // Spec 4.2
export interface StatusReply {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The reported status, as it was reported. */
  status: string
}

/** The longest `ref` that is accepted, characters. The specification shows no bound. */
export const maxRefLength = 255

/** The query of `GET /lead/{lead_id}/status`, the pixel. */ // Spec 4.3
export interface EventReport {
  /** The signed token of the postback URL; good for that lead only. */
  token: string
  /** What happened: an event name of either list. */
  event: string
  /** The advertiser's own reference of the lead, at most 255 characters. */
  ref?: string
}

/** The result of a pixel call. */ // Spec 3
export const eventOutcomes = ['received', 'ignored'] as const
/** The result of a pixel call. */ // Spec 3
export type EventOutcome = (typeof eventOutcomes)[number]

/** The reply of `GET /lead/{lead_id}/status`. */ // Spec 4.3
export interface EventReply {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The event, by the name of the pixel's enumeration. */
  event: PixelEvent
  /** `received`: recorded, the publisher is notified. `ignored`: a repeat. */
  status: EventOutcome
}
