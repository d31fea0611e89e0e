import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import { dateTime, operations } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import type { LeadCount } from '../storage/queries.ts'
import type { RejectionRecord } from '../storage/records.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { operation } from './operation.ts'
import { iso } from './shapes.ts'

/** Present if only a part of the period is counted: everything from this time on. */
const since = z.optional(dateTime)

const whole = z.int()

const activity = z.strictObject({
  from: dateTime,
  /** The end of the last time span, which may be later than the tenant's current time. */
  to: dateTime,
  /** The length of a time span. */
  span: z.enum(['PT1M', 'PT30M']),
  /** The leads, and the rejections that created none. */
  submissions: z.strictObject({
    /** Every time span of the period, oldest first. */
    spans: z.array(z.strictObject({ at: dateTime, new: whole, distributed: whole, rejected: whole })),
    /** The reasons of the rejections, the most frequent first. */
    reasons: z.array(z.strictObject({ reason: z.enum(rejectionReasons), count: whole })),
    since,
  }),
  /** All pending callbacks, and those whose last attempt was made in the period. */
  callbacks: z.strictObject({ pending: whole, delivered: whole, failed: whole, since }),
  requests: z.strictObject({
    /** Percentiles of the duration, in milliseconds of real time. */
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
        "Returns counts for charts of the last hour or day of the tenant's clock: submissions over time, rejection reasons, callbacks by state, and the duration of requests. Rejections without a lead count too. Covers only the newest 20,000 leads, 2,000 callbacks and 1,000 requests.",
      methods: ['GET'],
      path: '/tenants/:tenant/activity',
      input: z.strictObject({ period: z.optional(z.enum(['hour', 'day'])) }),
      reply: activity,
    },
    async ({ tenant, input }) => ({ body: await countActivity(tenant, input.period ?? 'hour') }),
  ),
}

const minute = 60_000

/** The periods that can be shown, each with the length and number of its time spans. */
const periods = {
  hour: { span: minute, duration: 'PT1M', count: 60 },
  day: { span: 30 * minute, duration: 'PT30M', count: 48 },
} as const

/**
 * The number of leads, callbacks and journal entries that one call reads, newest first. Leads are counted from an index,
 * callbacks row by row, and journal entries are parsed: with SQLite, the whole request takes about 20 ms.
 */
const newest = { leads: 20_000, callbacks: 2_000, requests: 1_000 } as const

type Counted = Omit<LeadCount, 'first'>

/** Counts what a tenant did in the last hour or day of its clock. */
async function countActivity({ clock, storage, journal }: Tenant, period: keyof typeof periods) {
  const { span, duration, count } = periods[period]
  // Spans begin at full minutes, so that they stay the same as time passes.
  const to = (Math.floor(clock.now() / span) + 1) * span
  const from = to - count * span
  const requests = await journal.read({ limit: newest.requests })
  const rejections = (await journal.readRejections()).filter(({ at }) => at >= from)
  const keptSince = await journal.keptSince()
  const { leads, callbacks, pending } = await storage.read(async tables => ({
    leads: await tables.countLeads({ from, span, rows: newest.leads }),
    callbacks: await tables.countCallbacks({ from, rows: newest.callbacks }),
    pending: await tables.countPendingCallbacks(),
  }))
  const submissions = [...leads, ...rejections.map(rejection => countOf(rejection, from, span))]
  const inState = (state: string) => callbacks.find(each => each.state === state)?.count ?? 0
  return {
    from: iso(from),
    to: iso(to),
    span: duration,
    submissions: {
      spans: spansOf(submissions, { from, span, count }),
      reasons: reasonsOf(submissions),
      ...latestOf(
        sinceOf(leads, newest.leads),
        keptSince !== undefined && keptSince >= from && { since: iso(keptSince) },
      ),
    },
    callbacks: {
      pending,
      delivered: inState('delivered'),
      failed: inState('failed'),
      ...sinceOf(callbacks, newest.callbacks),
    },
    requests: requestsOf(requests.filter(({ at }) => at >= from)),
  }
}

/** Returns the earliest counted time if the limit was reached, so that earlier entries may be missing. */
function sinceOf(counts: readonly { count: number; first?: number | undefined }[], rows: number) {
  const counted = counts.reduce((sum, { count }) => sum + count, 0)
  if (counted < rows) return {}
  const first = Math.min(...counts.map(({ first = Infinity }) => first))
  return Number.isFinite(first) ? { since: iso(first) } : {}
}

/** Returns a rejection that created no lead as a count of one. */
function countOf({ at, reason }: RejectionRecord, from: number, span: number): Counted {
  return { span: Math.floor((at - from) / span), status: 'rejected', reason, count: 1 }
}

/** Returns the one with the later `since`. */
function latestOf(one: { since?: string }, other: false | { since: string }) {
  return other && (one.since ?? '') < other.since ? other : one
}

function spansOf(leads: readonly Counted[], period: { from: number; span: number; count: number }) {
  const spans = Array.from({ length: period.count }, (_, place) => ({
    at: iso(period.from + place * period.span),
    ...(Object.fromEntries(leadStatuses.map(status => [status, 0])) as Record<LeadCount['status'], number>),
  }))
  for (const { span: place, status, count } of leads) {
    const span = spans[place]
    if (span) span[status] += count
  }
  return spans
}

function reasonsOf(leads: readonly Counted[]) {
  const counts = new Map<NonNullable<LeadCount['reason']>, number>()
  for (const { reason, count } of leads) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + count)
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((one, other) => other.count - one.count)
}

function requestsOf(requests: readonly { at: number; operation: OperationName; ms: number }[]) {
  const names = [...new Set(requests.map(({ operation }) => operation))].sort()
  const last = requests.at(-1)
  return {
    operations: names.map(operation => {
      const durations = requests.filter(request => request.operation === operation).map(({ ms }) => ms)
      durations.sort((one, other) => one - other)
      return {
        operation,
        count: durations.length,
        p50_ms: percentile(durations, 0.5),
        p99_ms: percentile(durations, 0.99),
      }
    }),
    ...(requests.length === newest.requests && last && { since: iso(last.at) }),
  }
}

/** Returns the percentile of sorted values, by the nearest-rank method. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
