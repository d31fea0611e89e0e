import { dateTimeMs, durationMs, isDuration, leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, operations, uuid } from '@lead-distribution/contract/shapes'
import {
  acceptedOf,
  type EventRecord,
  type LeadRecord,
  passingValue,
  type RefusedAgo,
  type TraceStep,
} from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { postbackUrl } from '../advertisers/advertisers.ts'
import { bounds } from '../bounds.ts'
import type { CallbackHold } from '../effects/effects.ts'
import { toolOrigins } from '../origin.ts'
import type {
  BackendResponse,
  CallBodies,
  RequestRecord,
  SandboxAttempt,
  SandboxCallback,
  SandboxOfferResponse,
} from '../storage/records.ts'
import { nameOf } from '../storage/tables.ts'
import { type Holding, isHolding } from '../storage/tenant-record.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { earliestTime, latestTime } from '../time/clock.ts'
import type { Urls } from '../urls.ts'

// The control plane's view of each record: its shape, then the function that makes it.

/** Returns the shape of an integer within its named bounds. */
export function wholeNumber(name: keyof typeof bounds) {
  const { min, max } = bounds[name]
  return z.int().check(z.gte(min), z.lte(max))
}

export const iso = (ms: number) => new Date(ms).toISOString()

/** A time, or a duration back from the tenant's current time. */
export const pastTime = z
  .string()
  .check(
    z.refine(
      text => dateTime.safeParse(text).success || (isDuration(text) && durationMs(text) <= durationMs('P3650D')),
      'must be a date-time with a zone, or a duration back from now without months or years, such as PT24H',
    ),
  )

/** Returns a past time in milliseconds since 1970 on the tenant's clock; NaN for an invalid time. */
export function readPastTime({ clock }: Pick<Tenant, 'clock'>, text: string): number {
  const at = isDuration(text) ? clock.now() - durationMs(text) : dateTimeMs(text)
  // No clock shows a time outside this range, and a response could not represent a five-digit year.
  return at > latestTime ? Number.NaN : Math.max(at, earliestTime)
}

export const timeThatExists = 'must be a time that exists'

/** A difference that another interpretation of an open point would have made. */
export const portabilityWarning = z.strictObject({
  switch: z.string(),
  interpretation: z.string(),
  other_interpretation: z.string(),
  would: z.string(),
})

export const trace = z.array(
  z.strictObject({
    check: z.string(),
    verdict: z.enum(['passed', 'rejected', 'skipped', 'forced']),
    input: z.optional(z.unknown()),
    threshold: z.optional(z.unknown()),
    hint: z.optional(z.string()),
  }),
)

/** A value that passes the check that rejected a lead. */
export const passesWith = z.optional(
  z
    .strictObject({
      /** The dotted path in the submission. */
      field: z.string(),
      value: z.union([z.string(), z.number()]),
    })
    .check(
      z.describe(
        "The nearest value that passes the check that rejected the lead, under the account's current criteria and at its current time. Missing if the check would pass now, or if no change of one field is enough.",
      ),
    ),
)

/** Returns a human-readable trace, with the time since a refusal as a sentence. */
export function traceView(trace: readonly TraceStep[]): TraceStep[] {
  return trace.map(step => {
    const { refused_ms_ago }: Partial<RefusedAgo> = Object(step.check === 'duplicate' ? step.input : undefined)
    return typeof refused_ms_ago === 'number' ? { ...step, input: `refused ${refused_ms_ago / 1000} s ago` } : step
  })
}

export const callbackState = z.enum(['pending', 'delivered', 'failed'])

/** The effect of the fault that postpones a callback. */
export const callbackHold = z.enum(['delay', 'reorder'])

/** The reason why a callback is not sent when due: a fault, its tenant, or a listener that is not connected. */
export const shownHold = z.enum([...callbackHold.options, 'tenant', 'listener'])

/** The headers of a receiver's response, and the first part of its body as text. */
const maskedAnswer = z.strictObject({
  headers: z.record(z.string(), z.string()),
  text: z.string(),
  /** Present if there was more. */
  truncated: z.optional(z.literal(true)),
})

/** A sandbox tool that calls the service itself. */
export const toolOrigin = z.enum(toolOrigins)

export const callback = z.strictObject({
  callback_id: uuid,
  lead_id: uuid,
  event: z.string(),
  url: z.string(),
  state: callbackState,
  attempts: z.array(
    z.strictObject({
      at: dateTime,
      status: z.optional(z.int()),
      error: z.optional(z.string()),
      ms: z.number(),
      /** The receiver's response, masked and truncated. Absent in lists and streams. */
      answer: z.optional(maskedAnswer),
      copies: z.optional(z.int()),
      fault_id: z.optional(z.string()),
    }),
  ),
  next_attempt_at: z.optional(dateTime),
  held: z.optional(shownHold),
  /** Present if a user sent the callback rather than an event. */
  synthetic: z.optional(z.literal(true)),
  /** The sandbox tool that reported its event, or sent it. Absent for the integration under test. */
  origin: z.optional(toolOrigin),
  /** Present if the callback was resent: the number of attempts before that. */
  resent_after: z.optional(z.int()),
})

/** Returns a callback with its attempts and the receiver's responses. */
export function callbackDetails(stored: SandboxCallback, tenant: Holding) {
  return viewOf(stored, tenant, stored.attempts)
}

/** Returns a callback for a list or a stream, without the receiver's responses. */
export function callbackView(stored: SandboxCallback, tenant: Holding) {
  return viewOf(
    stored,
    tenant,
    stored.attempts.map(({ answer: _, ...attempt }) => attempt),
  )
}

/** A callback on hold has no next attempt time. */
function viewOf(stored: SandboxCallback, tenant: Holding, attempts: readonly SandboxAttempt[]) {
  const { due_at, resent_after, attempts: _, held: _byFault, synthetic, ...callback } = stored
  const held = holdOf(stored, tenant)
  const isDue = callback.state === 'pending' && !isHolding(tenant)
  return {
    ...callback,
    attempts: attempts.map(attempt => ({ ...attempt, at: iso(attempt.at) })),
    ...(isDue && due_at !== undefined && { next_attempt_at: iso(due_at) }),
    ...(held && { held }),
    ...(synthetic && { synthetic: true as const }),
    ...(resent_after !== undefined && { resent_after }),
  }
}

/** Returns the reason why a due callback is not sent; undefined if it is. */
export function holdOf(
  { state, held }: Pick<SandboxCallback, 'state' | 'held'>,
  tenant: Holding,
): CallbackHold | 'tenant' | 'listener' | undefined {
  if (state !== 'pending' || !isHolding(tenant)) return held
  return tenant.callbacks_held ? 'tenant' : 'listener'
}

/** The status that an inbox responds with, and how many more times. Without `times`, until it is changed. */
export const inboxMode = z.strictObject({ status: wholeNumber('status'), times: z.optional(wholeNumber('times')) })

/** How an advertiser reported an event: by the pixel or the JSON endpoint. */
export const reportWay = z.enum(['pixel', 'body'])

export const advertiserDecision = z.enum(['accepted', 'declined'])

/** An advertiser's back-end response to a lead. */
export const backendResponse = z.strictObject({
  at: dateTime,
  status: z.optional(z.int()),
  error: z.optional(z.string()),
  ms: z.number(),
})

/** A submission as received. */
export const leadSubmission = z.record(z.string(), z.unknown())

export const leadSummary = z.strictObject({
  lead_id: uuid,
  product_id: uuid,
  status: z.enum(leadStatuses),
  rejection_reason: z.optional(z.enum(rejectionReasons)),
  /** In lower case. */
  email: z.string(),
  /** Missing for a rejection that created no lead. */
  customer_name: z.optional(z.string()),
  external_id: z.optional(z.string()),
  loan_amount: z.number(),
  loan_term_months: z.int(),
  advertisers: z.array(z.strictObject({ advertiser_id: uuid, name: z.string() })),
  received_at: dateTime,
})

/** An advertiser that a lead was offered to, and its decision. */
export const offered = z.strictObject({
  advertiser_id: uuid,
  name: z.string(),
  decision: advertiserDecision,
  reasons: z.array(z.string()),
})

export const lead = z.extend(leadSummary, {
  redirect_url: z.optional(z.string()),
  submission: leadSubmission,
  trace,
  passes_with: passesWith,
  deliveries: z.array(
    z.extend(offered, {
      postback_url: z.optional(z.string()),
      redirect_url: z.optional(z.string()),
      backend: z.optional(backendResponse),
    }),
  ),
  events: z.array(
    z.strictObject({
      event: z.string(),
      reported_as: z.string(),
      via: reportWay,
      advertiser_id: uuid,
      ref: z.optional(z.string()),
      metadata: z.optional(z.record(z.string(), z.unknown())),
      recorded_at: dateTime,
    }),
  ),
  callbacks: z.array(callback),
})

export const backendView = ({ at, ...response }: BackendResponse) => ({ at: iso(at), ...response })

export function summaryView({ lead_id, product_id, status, rejection_reason, email, ...lead }: LeadRecord) {
  const { customer, product_data } = lead.submission
  const { loan_amount, loan_term_months } = product_data
  return {
    lead_id,
    product_id,
    status,
    rejection_reason,
    email,
    customer_name: nameOf(customer),
    external_id: customer.external_id,
    loan_amount,
    loan_term_months,
    advertisers: acceptedOf(lead.deliveries).map(({ advertiser_id, name }) => ({ advertiser_id, name })),
    received_at: iso(lead.received_at),
  }
}

interface LeadDetails {
  readonly lead: LeadRecord
  readonly events: readonly EventRecord[]
  readonly callbacks: readonly SandboxCallback[]
}

/** Returns a lead with the postback URL of each advertiser that has it. */
export async function leadView(
  { lead, events, callbacks }: LeadDetails,
  { account, clock, record }: Tenant,
  urls: Urls,
) {
  const { lead_id, submission, trace } = lead
  const accepted = acceptedOf(lead.deliveries)
  const deliveries = lead.deliveries.map(async (delivery: SandboxOfferResponse) => {
    const { backend, ...decision } = delivery
    if (!accepted.includes(delivery)) return decision
    const postback_url = await postbackUrl(urls, account, lead_id, delivery.advertiser_id)
    return { ...decision, ...(postback_url && { postback_url }), ...(backend && { backend: backendView(backend) }) }
  })
  return {
    ...summaryView(lead),
    redirect_url: accepted[0]?.redirect_url,
    submission: { ...submission },
    trace: traceView(trace),
    passes_with: passingValue({ lead: submission, trace }, account, clock.now()),
    deliveries: await Promise.all(deliveries),
    events: events.map(({ lead_id: _, recorded_at, ...event }) => ({ ...event, recorded_at: iso(recorded_at) })),
    callbacks: callbacks.map(callback => callbackView(callback, record)),
  }
}

export const operationName = z.enum(Object.keys(operations) as (keyof typeof operations)[])
export const requestId = z.string().check(z.regex(/^r\d{1,15}$/, 'must be a request_id of the journal, such as r42'))

/** Returns a request's id from its number in the journal. */
export const requestIdOf = (number: number) => `r${number}`

/** Returns a request's number from its id; NaN if the text is not an id. */
export const requestNumberOf = (id: string) => (requestId.safeParse(id).success ? Number(id.slice(1)) : Number.NaN)

/** A request or response body in the journal: JSON with masked personal data, or the body as sent. */
const keptBody = z.strictObject({
  /** `not_json` if the whole body was dropped, because it is not JSON in UTF-8. */
  state: z.enum(['whole', 'truncated', 'not_json']),
  text: z.string(),
})

/** Headers by their lower-case names. */
const keptHeaders = z.record(z.string(), z.string())

/** A journal entry: a request to the service and the decision on it. A single entry also has the masked content. */
export const request = z.strictObject({
  request_id: requestId,
  at: dateTime,
  operation: operationName,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  ms: z.number(),
  lead_id: z.optional(uuid),
  outcome: z.string(),
  reason: z.optional(z.string()),
  event: z.optional(z.string()),
  check: z.optional(z.string()),
  trace: z.optional(trace),
  near_misses: z.optional(z.array(z.strictObject({ field: z.string(), message: z.string() }))),
  issues: z.optional(z.array(z.strictObject({ field: z.string(), issue: z.string() }))),
  warnings: z.array(portabilityWarning),
  fault_id: z.optional(z.string()),
  broken: z.optional(z.enum(['garbled', 'cut', 'withheld'])),
  /** The sandbox tool that sent the request. Absent for the integration under test. */
  origin: z.optional(toolOrigin),
  /** Present if the browser resent the request because the first connection was cut. */
  resent: z.optional(z.literal(true)),
  // Absent in lists and streams.
  query: z.optional(z.string()),
  request_headers: z.optional(keptHeaders),
  response_headers: z.optional(keptHeaders),
  request_body: z.optional(keptBody),
  response_body: z.optional(keptBody),
  /** True if headers, query and bodies are unmasked, except for credentials that the service ignores. */
  is_full: z.optional(z.boolean()),
})

/** Returns a request to the service for a list or a stream, identified by its number in the journal. */
export function requestView(record: RequestRecord) {
  const { number, at, query: _, request_headers: __, response_headers: ___, ...request } = record
  return { request_id: requestIdOf(number), at: iso(at), ...request }
}

/** Returns a request to the service with its headers, and its bodies if stored. */
export function requestDetails(record: RequestRecord, { request, response, sent }: CallBodies = {}) {
  const { response_headers } = record
  const { query, headers: request_headers } = sent ?? { query: record.query, headers: record.request_headers }
  return {
    ...requestView(record),
    ...(query !== undefined && { query }),
    ...(request_headers && { request_headers }),
    ...(response_headers && { response_headers }),
    ...(request && { request_body: request }),
    ...(response && { response_body: response }),
    ...(sent && { is_full: true }),
  }
}
