import { rejectionReasons } from '@lead-distribution/contract'
import { dateTime, operations } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { operation } from './operation.ts'

/** Set if there was more in the period than is counted: everything from this time on is. */
const since = z.optional(dateTime)

const whole = z.int()

const activity = z.strictObject({
  from: dateTime,
  /** The end of the last time span, which may be after the tenant's now. */
  to: dateTime,
  /** The length of a time span. */
  span: z.enum(['PT1M', 'PT30M']),
  leads: z.strictObject({
    /** Every time span of the period, oldest first. */
    spans: z.array(z.strictObject({ at: dateTime, new: whole, distributed: whole, rejected: whole })),
    /** The reasons of the rejected leads, the most frequent first. */
    reasons: z.array(z.strictObject({ reason: z.enum(rejectionReasons), count: whole })),
    since,
  }),
  /** All pending callbacks, and those whose last attempt was made in the period. */
  callbacks: z.strictObject({ pending: whole, delivered: whole, failed: whole, since }),
  calls: z.strictObject({
    /** Half of the calls took at most `p50_ms`, and 99 of 100 at most `p99_ms`, milliseconds of real time. */
    operations: z.array(
      z.strictObject({
        operation: z.enum(Object.keys(operations) as (keyof typeof operations)[]),
        count: whole,
        p50_ms: z.number(),
        p99_ms: z.number(),
      }),
    ),
    since,
  }),
})

export const activityOperations = {
  showActivity: operation(
    {
      title: 'Show the activity',
      description:
        "Returns counts for charts of the last hour or day of the tenant's clock: leads over time, rejection reasons, callbacks by state, and the duration of calls. Looks only at the newest 20,000 leads, 2,000 callbacks and 1,000 calls.",
      methods: ['GET'],
      path: '/tenants/:tenant/activity',
      input: z.strictObject({ period: z.optional(z.enum(['hour', 'day'])) }),
      reply: activity,
    },
    async ({ tenant, input }) => {
      // Loaded on demand: a page that holds the sandbox seldom asks for charts. A load that fails is tried again.
      const { countActivity } = await import('./count-activity.ts')
      return { body: await countActivity(tenant, input.period ?? 'hour') }
    },
  ),
}
