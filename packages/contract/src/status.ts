import * as z from 'zod/mini'
import {
  acceptedPixelEvents,
  eventOutcomes,
  knownStatuses,
  maxRefLength,
  maxStatusLength,
  pixelEvents,
} from './events.ts'
import { requiredString, uuid } from './format-shapes.ts'

// The reports of an advertiser. `npm run generate` makes from these shapes and comments what `lead/lead.ts` names.

/** Figures of the loan that a status update reports. */ // Spec 4.2
export const statusMetadata = z.object({
  /** Amount of the loan, euros. */
  amount: z.optional(z.number()),
  /** Term of the loan, whole months. */
  term_months: z.optional(z.int()),
})

/** The figures of a status update whose shape was checked. */
export type StatusFigures = z.output<typeof statusMetadata>

/** The values that `status` may have: the known event names, or any string of 1 to {@link maxStatusLength} characters. */
export type StatusVocabulary = 'known' | 'any'

const anyStatus = requiredString.check(z.maxLength(maxStatusLength))

/** The body of `POST /lead/{lead_id}/status`. */ // Spec 4.2
export function statusUpdate(vocabulary: StatusVocabulary) {
  return z.object({
    /** The event: `converted`, or an event name of either list. */
    status: vocabulary === 'known' ? (z.enum(knownStatuses) as unknown as z.ZodMiniString) : anyStatus,
    /** The advertiser that reports; a UUID. It must be the owner of the API key. */
    advertiser_id: z.optional(uuid),
    /** Figures of the loan. */
    metadata: z.optional(statusMetadata),
  })
}

/** The response of `POST /lead/{lead_id}/status`. */ // Spec 4.2
export const statusReply = z.object({
  /** Id of the lead, a UUID. */
  lead_id: uuid,
  /** The status, as it was reported. */
  status: z.string(),
})

/** The query of `GET /lead/{lead_id}/status`, the pixel. */ // Spec 4.3
export const eventReport = z.object({
  /** The signed token of the postback URL; valid for that lead only. */
  token: requiredString,
  /** The event, by its name in either list. */
  event: z.enum(acceptedPixelEvents),
  /** The advertiser's own reference of the lead. */
  ref: z.optional(z.string().check(z.maxLength(maxRefLength))),
})

/** The response of `GET /lead/{lead_id}/status`. */ // Spec 4.3
export const eventReply = z.object({
  /** Id of the lead, a UUID. */
  lead_id: uuid,
  /** The event, by its name in the pixel's enumeration. */
  event: z.enum(pixelEvents),
  /** `received`: recorded, and the publisher is notified. `ignored`: a repeat. */
  status: z.enum(eventOutcomes),
})
