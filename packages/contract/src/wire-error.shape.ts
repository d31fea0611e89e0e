import * as z from 'zod/mini'

/** The shape of one thing that is wrong with one field (Spec 2.13). */
export const fieldIssue = z.object({ field: z.string(), issue: z.string() })

/** The shape of the body of every error reply (Spec 2.13). */
export const errorResponse = z.object({
  error: z.string(),
  message: z.string(),
  details: z.optional(z.array(fieldIssue)),
})
