import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { durationMs, isDuration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { wholeNumber } from '../whole-number.ts'

/** A callback with every try of it. */
export const callback = z.strictObject({
  callback_id: uuid,
  lead_id: uuid,
  event: z.string(),
  url: z.string(),
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.array(
    z.strictObject({
      at: dateTime,
      status: z.optional(z.int()),
      error: z.optional(z.string()),
      ms: z.number(),
      copies: z.optional(z.int()),
      fault_id: z.optional(z.string()),
    }),
  ),
  next_attempt_at: z.optional(dateTime),
  held: z.optional(z.enum(['delay', 'reorder'])),
})

/** The query of the list of callbacks. */
export const callbackQuery = z.strictObject({
  lead_id: z.optional(uuid),
  state: z.optional(z.enum(['pending', 'delivered', 'failed'])),
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(uuid),
})

/** The query of waiting for a callback. */
export const waitQuery = z.strictObject({
  lead_id: uuid,
  event: z.optional(z.string().check(z.minLength(1))),
  timeout_ms: z.optional(wholeNumber('timeout_ms')),
})

/** The body of recovering: since when, a time or a duration back from the tenant's now. */
export const recovery = z.strictObject({
  since: z
    .string()
    .check(
      z.refine(
        text => dateTime.safeParse(text).success || (isDuration(text) && durationMs(text) <= durationMs('P3650D')),
        'must be a date-time with a zone, or a duration back from now such as PT24H',
      ),
    ),
})
