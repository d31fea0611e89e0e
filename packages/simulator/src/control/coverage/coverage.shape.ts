import * as z from 'zod/mini'
import { coverageKinds } from '../../journal/coverage.ts'

/** What a tenant has seen of all that it can see. */
export const coverage = z.strictObject({
  seen: z.int(),
  total: z.int(),
  items: z.array(z.strictObject({ kind: z.enum(coverageKinds), name: z.string(), how: z.string(), count: z.int() })),
})

/** The body of a diagnosis. */
export const postback = z.strictObject({ url: z.string().check(z.minLength(1), z.maxLength(8_192)) })

/** What was found of a postback URL, in the order of the pixel's checks. */
export const diagnosis = z.strictObject({
  findings: z.array(
    z.strictObject({ check: z.string(), verdict: z.enum(['ok', 'warning', 'wrong']), message: z.string() }),
  ),
})
