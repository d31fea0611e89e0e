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

// An advertiser's reports. From these shapes and comments, `npm run generate` makes the files that `lead/lead.ts`
// lists.

/** Loan figures in a status update. */ // Spec 4.2
export const statusMetadata = z.object({
  /** Amount of the loan, in euros. */
  amount: z.optional(z.number()),
  /** Term of the loan, in whole months. */
  term_months: z.optional(z.int()),
})

/** The validated figures of a status update. */
export type StatusFigures = z.output<typeof statusMetadata>

/** The accepted values of `status`: the known event names, or any string of 1 to {@link maxStatusLength} characters. */
export type StatusVocabulary = 'known' | 'any'

const anyStatus = requiredString.check(z.maxLength(maxStatusLength))

/** The body of `POST /lead/{lead_id}/status`. */ // Spec 4.2
export function statusUpdate(vocabulary: StatusVocabulary) {
  return z.object({
    /** The event: `converted`, or an event name on either list. */
    status: vocabulary === 'known' ? (z.enum(knownStatuses) as unknown as z.ZodMiniString) : anyStatus,
    /** The reporting advertiser's id, a UUID. It must be the owner of the API key. */
    advertiser_id: z.optional(uuid),
    /** Loan figures. */
    metadata: z.optional(statusMetadata),
  })
}

/** The response to `POST /lead/{lead_id}/status`. */ // Spec 4.2
export const statusReply = z.object({
  /** The lead's id, a UUID. */
  lead_id: uuid,
  /** The status, as reported. */
  status: z.string(),
})

/** The query of `GET /lead/{lead_id}/status`, the pixel. */ // Spec 4.3
export const eventReport = z.object({
  /** The postback URL's signed token, valid for that lead only. */
  token: requiredString,
  /** The event, by its name on either list. */
  event: z.enum(acceptedPixelEvents),
  /** The advertiser's own reference for the lead. */
  ref: z.optional(z.string().check(z.maxLength(maxRefLength))),
})

/** The response to `GET /lead/{lead_id}/status`. */ // Spec 4.3
export const eventReply = z.object({
  /** The lead's id, a UUID. */
  lead_id: uuid,
  /** The event, by its name in the pixel's enumeration. */
  event: z.enum(pixelEvents),
  /** `received`: recorded, and the publisher is notified. `ignored`: a repeat. */
  status: z.enum(eventOutcomes),
})
