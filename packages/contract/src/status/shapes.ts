import * as z from 'zod/mini'
import { acceptedPixelEvents, knownStatuses, pixelEvents } from '../events.ts'
import { requiredString, uuid } from '../format-shapes.ts'
import { eventOutcomes, maxRefLength } from './status.ts'

/** The shape of a status update's figures. */ // Spec 4.2
export const statusMetadata = z.object({ amount: z.optional(z.number()), term_months: z.optional(z.int()) })

/** The figures of a status update whose shape was checked. */
export type StatusFigures = z.output<typeof statusMetadata>

/** The values that `status` may have: the known event names, or any string that is not empty. */
export type StatusVocabulary = 'known' | 'any'

/** The shape of `POST /lead/{lead_id}/status`'s body. */ // Spec 4.2
export function statusUpdate(vocabulary: StatusVocabulary) {
  return z.object({
    status: vocabulary === 'known' ? (z.enum(knownStatuses) as unknown as z.ZodMiniString) : requiredString,
    advertiser_id: z.optional(uuid),
    metadata: z.optional(statusMetadata),
  })
}

/** The shape of `POST /lead/{lead_id}/status`'s reply. */ // Spec 4.2
export const statusReply = z.object({ lead_id: uuid, status: z.string() })

/** The shape of the pixel's query. */ // Spec 4.3
export const eventReport = z.object({
  token: requiredString,
  event: z.enum(acceptedPixelEvents),
  ref: z.optional(z.string().check(z.maxLength(maxRefLength))),
})

/** The shape of the pixel's reply. */ // Spec 4.3
export const eventReply = z.object({ lead_id: uuid, event: z.enum(pixelEvents), status: z.enum(eventOutcomes) })
