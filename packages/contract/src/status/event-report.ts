import type { PixelEvent } from '../events.ts'

/** The longest `ref` that is taken, characters. The specification shows no bound. */
export const maxRefLength = 255

/** The query of `GET /lead/{lead_id}/status`, the pixel (Spec 4.3). */
export interface EventReport {
  /** The signed token of the postback URL; good for that lead only. */
  token: string
  /** What happened: an event name of either list. */
  event: string
  /** The advertiser's own reference of the lead, at most 255 characters. */
  ref?: string
}

/** What became of a pixel call: recorded, or known already (Spec 3). */
export const eventOutcomes = ['received', 'ignored'] as const
/** What became of a pixel call: recorded, or known already (Spec 3). */
export type EventOutcome = (typeof eventOutcomes)[number]

/** The reply of `GET /lead/{lead_id}/status` (Spec 4.3). */
export interface EventReply {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The event, by the name of the pixel's enumeration. */
  event: PixelEvent
  /** `received`: recorded, the publisher is told. `ignored`: known already. */
  status: EventOutcome
}
