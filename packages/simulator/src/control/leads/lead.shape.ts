import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { callback } from '../callbacks/callback.shape.ts'
import { wholeNumber } from '../whole-number.ts'

/** The trace of a decision. */
export const trace = z.array(
  z.strictObject({
    check: z.string(),
    verdict: z.enum(['passed', 'rejected', 'skipped', 'forced']),
    input: z.optional(z.unknown()),
    threshold: z.optional(z.unknown()),
    hint: z.optional(z.string()),
  }),
)

/** A lead with all that belongs to it. */
export const lead = z.strictObject({
  lead_id: uuid,
  product_id: uuid,
  status: z.enum(leadStatuses),
  rejection_reason: z.optional(z.enum(rejectionReasons)),
  redirect_url: z.optional(z.string()),
  received_at: dateTime,
  submission: z.record(z.string(), z.unknown()),
  trace,
  deliveries: z.array(
    z.strictObject({
      advertiser_id: uuid,
      name: z.string(),
      decision: z.enum(['accepted', 'declined']),
      reasons: z.array(z.string()),
      postback_url: z.optional(z.string()),
      redirect_url: z.optional(z.string()),
    }),
  ),
  events: z.array(
    z.strictObject({
      event: z.string(),
      reported_as: z.string(),
      via: z.enum(['pixel', 'body']),
      advertiser_id: uuid,
      ref: z.optional(z.string()),
      metadata: z.optional(z.record(z.string(), z.unknown())),
      recorded_at: dateTime,
    }),
  ),
  callbacks: z.array(callback),
})

/** The query of the list of leads. */
export const leadQuery = z.strictObject({
  status: z.optional(z.enum(leadStatuses)),
  email: z.optional(z.string().check(z.minLength(1))),
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(uuid),
})

/** What the service would answer to a submission, and why. */
export const explanation = z.strictObject({
  would: z.strictObject({ status: z.int(), body: z.record(z.string(), z.unknown()) }),
  trace,
  warnings: z.array(
    z.strictObject({
      switch: z.string(),
      interpretation: z.string(),
      other_interpretation: z.string(),
      would: z.string(),
    }),
  ),
})

/** The body of a trigger. */
export const trigger = z.strictObject({
  event: z.string().check(z.minLength(1), z.maxLength(200)),
  via: z.optional(z.enum(['pixel', 'body'])),
  repeat: z.optional(wholeNumber('repeat')),
  advertiser_id: z.optional(uuid),
})

/** What the service answered to what the simulated advertiser reported, try by try. */
export const triggered = z.strictObject({
  replies: z.array(
    z.strictObject({ status: z.int(), body: z.unknown(), broken: z.optional(z.enum(['cut', 'withheld'])) }),
  ),
})
