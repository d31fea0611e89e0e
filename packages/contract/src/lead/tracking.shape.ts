import * as z from 'zod/mini'
import { uri } from '../formats.shape.ts'

/** The shape of the tracking data (Spec 2.10). */
export const tracking = z.object({
  click_id: z.optional(z.string()),
  sub_id: z.optional(z.string()),
  campaign_id: z.optional(z.string()),
  source: z.optional(uri),
})
