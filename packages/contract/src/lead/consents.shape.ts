import * as z from 'zod/mini'
import { dateTime, ipv4, requiredString } from '../formats.shape.ts'
import type { Interpretation } from '../interpretation.ts'
import { acceptedSaysWhen } from './consents.ts'

/**
 * Zod skips a check once a field of the object has an issue; `when` makes it run all the same, so that a reply lists
 * every issue at once.
 */
const saysWhen = z.refine<{ accepted?: unknown; accepted_at?: unknown }>(acceptedSaysWhen.holds, {
  path: [acceptedSaysWhen.field],
  message: acceptedSaysWhen.issue,
  when: ({ value }) => typeof value === 'object' && value !== null,
})

/** The shape of one consent (Spec 2.9). */
export const consentEntry = z
  .object({
    type: requiredString,
    accepted: z.boolean(),
    accepted_at: z.nullable(dateTime),
    version: requiredString,
    document_url: z.optional(z.nullable(z.string())),
  })
  .check(saysWhen)

/** The shape of how consents were collected (Spec 2.9). */
export const consentMetadata = z.object({
  ip_address: ipv4,
  user_agent: z.optional(z.string()),
  collected_at: dateTime,
})

/** The shape of the consents (Spec 2.9). */
export function consents(reading: Interpretation) {
  const required = consentMetadata as unknown as z.ZodMiniOptional<typeof consentMetadata>
  return z.object({
    entries: z.array(consentEntry),
    metadata: reading.consent_metadata === 'required' ? required : z.optional(consentMetadata),
  })
}
