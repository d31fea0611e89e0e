import * as z from 'zod/mini'
import { leadStatuses, rejectionReasons } from '../enumerations.ts'
import { uri, uuid } from '../formats.shape.ts'

/** The shape of `POST /lead`'s reply (Spec 2.12). */
export const leadResponse = z.object({
  lead_id: z.optional(z.nullable(uuid)),
  status: z.enum(leadStatuses),
  redirect_url: z.optional(z.nullable(uri)),
  rejection_reason: z.optional(z.nullable(z.enum(rejectionReasons))),
})
