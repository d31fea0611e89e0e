import * as z from 'zod/mini'
import { knownStatuses } from '../events.ts'
import { requiredString, uuid } from '../formats.shape.ts'

/** The shape of a status update's figures (Spec 4.2). */
export const statusMetadata = z.object({ amount: z.optional(z.number()), term_months: z.optional(z.int()) })

/** The figures of a status update whose shape was checked. */
export type StatusFigures = z.output<typeof statusMetadata>

/** Which values `status` may have: the known event names, or any string that is not empty. */
export type StatusVocabulary = 'known' | 'any'

/** The shape of `POST /lead/{lead_id}/status`'s body (Spec 4.2). */
export function statusUpdate(vocabulary: StatusVocabulary) {
  return z.object({
    status: vocabulary === 'known' ? (z.enum(knownStatuses) as unknown as z.ZodMiniString) : requiredString,
    advertiser_id: z.optional(uuid),
    metadata: z.optional(statusMetadata),
  })
}

/** The shape of `POST /lead/{lead_id}/status`'s reply (Spec 4.2). */
export const statusReply = z.object({ lead_id: uuid, status: z.string() })
