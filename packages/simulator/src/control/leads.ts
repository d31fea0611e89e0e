import {
  dateTimeMs,
  leadStatuses,
  maxEmailLength,
  maxStatusLength,
  rejectionReasons,
} from '@lead-distribution/contract'
import { dateTime, operations, uuid } from '@lead-distribution/contract/shapes'
import {
  acceptedOf,
  type EventRecord,
  explainLead,
  type LeadRecord,
  type SubmitResult,
} from '@lead-distribution/engine'
import { type Call, type HttpResponse, parseBody } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { reportAsAdvertiser } from '../advertisers/advertiser-network.ts'
import { postbackUrl } from '../advertisers/hand-over.ts'
import { applyScenario, refuseScenario } from '../faults/scenarios.ts'
import { scenarioHeader, type Urls } from '../paths.ts'
import { submitResponse } from '../service/responses.ts'
import type { SandboxCallback, SandboxDelivery } from '../storage/records.ts'
import type { LeadSearch, SandboxTables } from '../storage/sandbox-storage.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { callback } from './callbacks.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { operation, wholeNumber } from './operation.ts'
import { readPage } from './paging.ts'
import { backendView, callbackView, iso, traceView } from './views.ts'

/** The way an advertiser reported an event: by the pixel, or by the JSON endpoint. */
export const reportWay = z.enum(['pixel', 'body'])

export const advertiserDecision = z.enum(['accepted', 'declined'])

export const trace = z.array(
  z.strictObject({
    check: z.string(),
    verdict: z.enum(['passed', 'rejected', 'skipped', 'forced']),
    input: z.optional(z.unknown()),
    threshold: z.optional(z.unknown()),
    hint: z.optional(z.string()),
  }),
)

/** The response of an advertiser's back end to a lead. */
export const backendResponse = z.strictObject({
  at: dateTime,
  status: z.optional(z.int()),
  error: z.optional(z.string()),
  ms: z.number(),
})

const submission = z.record(z.string(), z.unknown())

const leadSummary = z.strictObject({
  lead_id: uuid,
  product_id: uuid,
  status: z.enum(leadStatuses),
  rejection_reason: z.optional(z.enum(rejectionReasons)),
  /** In lower case. */
  email: z.string(),
  loan_amount: z.number(),
  loan_term_months: z.int(),
  advertisers: z.array(z.strictObject({ advertiser_id: uuid, name: z.string() })),
  received_at: dateTime,
})

/** An advertiser that a lead was offered to, and its decision. */
const offered = z.strictObject({
  advertiser_id: uuid,
  name: z.string(),
  decision: advertiserDecision,
  reasons: z.array(z.string()),
})

export const lead = z.extend(leadSummary, {
  redirect_url: z.optional(z.string()),
  submission,
  trace,
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

const leadQuery = z
  .strictObject({
    status: z.optional(z.enum(leadStatuses)),
    reason: z.optional(z.enum(rejectionReasons)),
    product_id: z.optional(uuid),
    /** The whole address. */
    email: z.optional(z.string().check(z.minLength(1))),
    email_part: z.optional(z.string().check(z.minLength(1), z.maxLength(maxEmailLength))),
    from: z.optional(dateTime),
    to: z.optional(dateTime),
    /** Adds the whole submission to each lead. */
    include: z.optional(z.enum(['submission'])),
    limit: z.optional(wholeNumber('limit')),
    before: z.optional(uuid),
  })
  .check(
    z.refine(
      ({ email, email_part }) => email === undefined || email_part === undefined,
      'must not hold both email and email_part',
    ),
  )

/** The effect that another interpretation of an open point would have had. */
export const portabilityWarning = z.strictObject({
  switch: z.string(),
  interpretation: z.string(),
  other_interpretation: z.string(),
  would: z.string(),
})

/** The response that a submission would get, and the reasons for it. */
const explanation = z.strictObject({
  would: z.strictObject({ status: z.int(), body: z.record(z.string(), z.unknown()) }),
  trace,
  /** The advertisers that the lead would be offered to. */
  deliveries: z.array(offered),
  warnings: z.array(portabilityWarning),
})

const trigger = z.strictObject({
  event: z.string().check(z.minLength(1), z.maxLength(maxStatusLength)),
  via: z.optional(reportWay),
  repeat: z.optional(wholeNumber('repeat')),
  advertiser_id: z.optional(uuid),
})

/** The responses of the service to the reports of the simulated advertiser, in order. */
const triggered = z.strictObject({
  replies: z.array(
    z.strictObject({ status: z.int(), body: z.unknown(), broken: z.optional(z.enum(['cut', 'withheld'])) }),
  ),
})

const notDistributed = controlError(
  'not_distributed',
  'No advertiser has this lead, so none can report on it. To see how the service refuses a report, name an advertiser_id.',
)

export const leadOperations = {
  listLeads: operation(
    {
      title: 'List leads',
      description:
        'Returns summaries of leads, newest first. A page of a search may hold fewer leads than its limit and still have a next page. With `include=submission`, each has its submission; a lead by its id has everything.',
      methods: ['GET'],
      path: '/tenants/:tenant/leads',
      input: leadQuery,
      reply: z.strictObject({
        leads: z.array(z.extend(leadSummary, { submission: z.optional(submission) })),
        next: z.optional(z.string()),
      }),
    },
    async ({ tenant, input }) => {
      for (const field of ['from', 'to'] as const)
        if (Number.isNaN(timeOf(input[field]))) return refuseFields({ field, issue: 'must be a time that exists' })
      const list = leadList(tenant, input)
      const { entries, ...next } = await readPage({
        limit: input.limit,
        before: input.before,
        read: list.read,
        show: lead => ({
          ...summaryView(lead),
          ...(input.include === 'submission' && { submission: { ...lead.submission } }),
        }),
        idOf: ({ lead_id }) => lead_id,
      })
      const stoppedAt = list.stoppedAt()
      return { body: { leads: entries, ...(stoppedAt !== undefined && { next: stoppedAt }), ...next } }
    },
  ),
  explainLead: operation(
    {
      title: 'Explain a lead',
      description: 'Returns the response of the service to this submission, and the reasons, without submitting it.',
      methods: ['POST'],
      path: '/tenants/:tenant/leads/explain',
      input: operations.submitLead.input,
      validation: 'handler',
      reply: explanation,
    },
    async ({ tenant, input, headers }) => {
      const { account } = tenant
      const { refused, result } = await runDry(tenant, input, headers)
      if (refused) return refused
      const { status, body, notes } = submitResponse(result, account.settings)
      // Loaded on demand: a page that holds the sandbox seldom asks for a dry run. A load that fails is tried again.
      const { findNearMisses, withNearMisses } = await import('../diagnosis/explain-submission.ts')
      const misses = findNearMisses(input, { interpretation: account.settings, account })
      const trace = withNearMisses(traceView(result.trace), misses)
      return {
        body: {
          would: { status, body: { ...body } },
          trace,
          deliveries: offersOf(result),
          warnings: notes?.warnings ?? [],
        },
      }
    },
  ),
  showLead: operation(
    {
      title: 'Show a lead',
      description: 'Returns the lead with the trace of its decision, its deliveries, events and callbacks.',
      methods: ['GET'],
      path: '/tenants/:tenant/leads/:lead_id',
      reply: lead,
    },
    async ({ tenant, params }, { urls }) => {
      const lead_id = params.lead_id
      const details = await tenant.storage.read(async tables => {
        const lead = await tables.findLead(lead_id)
        return (
          lead && { lead, events: await tables.listEvents(lead_id), callbacks: await tables.listCallbacks(lead_id) }
        )
      })
      return details ? { body: await leadView(details, tenant, urls) } : noSuch('lead')
    },
  ),
  triggerEvent: operation(
    {
      title: 'Trigger an event',
      description: 'The simulated advertiser reports an event of the lead through the real endpoint.',
      methods: ['POST'],
      path: '/tenants/:tenant/leads/:lead_id/trigger',
      input: trigger,
      reply: triggered,
      errors: ['not_distributed'],
    },
    async ({ tenant, params, input }, { urls, call }) => {
      const { event, via, repeat = 1 } = input
      const lead_id = params.lead_id
      const lead = await tenant.storage.read(tables => tables.findLead(lead_id))
      if (!lead) return noSuch('lead')
      const advertiser_id = input.advertiser_id ?? acceptedOf(lead.deliveries)[0]?.advertiser_id
      if (advertiser_id === undefined) return notDistributed
      const replies = []
      for (let nth = 0; nth < repeat; nth++) {
        const response = await reportAsAdvertiser(tenant, urls, call, { lead_id, advertiser_id, event, via })
        if (!response) return refuseFields({ field: 'advertiser_id', issue: 'is not in this account' })
        replies.push(responseView(response))
      }
      return { body: { replies } }
    },
  ),
}

/** Decides on a submission without submitting it. Refuses a scenario that does not exist. */
export async function runDry({ ports, account, clock }: Tenant, body: unknown, headers: Call['headers']) {
  const scenario = headers[scenarioHeader]
  const refused = refuseScenario(scenario)
  if (refused) return { refused }
  const now = clock.now()
  const findForcedOutcome = applyScenario(scenario, { dry: true })
  const submission = { body, findForcedOutcome }
  return { now, result: await explainLead({ ...ports, clock: { now: () => now } }, account, submission) }
}

/** Returns the advertisers that were offered the lead of a result. */
export function offersOf(result: SubmitResult) {
  const deliveries = 'deliveries' in result ? result.deliveries : []
  return deliveries.map(({ redirect_url: _, ...offer }) => offer)
}

/** The number of leads that one transaction, and one request, reads: a long search is many short requests. */
const [window, mostRows] = [5_000, 20_000]

interface LeadList {
  read(page: { before: string | undefined; limit: number }): Promise<readonly LeadRecord[]>
  /** Returns where to continue a search that looked at its share and found fewer leads than requested. */
  stoppedAt(): string | undefined
}

function leadList({ storage }: Tenant, query: z.output<typeof leadQuery>): LeadList {
  const { limit: _, before: __, include: ___, status, ...more } = query
  const email = more.email?.toLowerCase()
  const isSearch = Object.entries(more).some(([name, value]) => name !== 'email' && value !== undefined)
  if (!isSearch)
    return {
      read: page => storage.read(tables => tables.listLeads({ status, email, ...page })),
      stoppedAt: () => undefined,
    }
  const search = {
    status,
    reason: more.reason,
    product_id: more.product_id,
    email,
    from: timeOf(more.from),
    to: timeOf(more.to),
    email_part: more.email_part?.toLowerCase(),
  }
  return searchLeads(search, find => storage.read(tables => tables.searchLeads(find)))
}

function searchLeads(
  search: Omit<LeadSearch, 'rows' | 'limit' | 'before'>,
  find: (search: LeadSearch) => ReturnType<SandboxTables['searchLeads']>,
): LeadList {
  let rows = 0
  let stoppedAt: string | undefined
  return {
    async read({ before, limit }) {
      const leads: LeadRecord[] = []
      for (let last = before; leads.length < limit; rows += window) {
        if (rows >= mostRows) {
          stoppedAt = last
          break
        }
        const found = await find({ ...search, before: last, rows: window, limit: limit - leads.length })
        leads.push(...found.leads)
        if (found.next === undefined) break
        last = found.next
      }
      return leads
    },
    stoppedAt: () => stoppedAt,
  }
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : dateTimeMs(text))

function summaryView({ lead_id, product_id, status, rejection_reason, email, ...lead }: LeadRecord) {
  const { loan_amount, loan_term_months } = lead.submission.product_data
  return {
    lead_id,
    product_id,
    status,
    rejection_reason,
    email,
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
async function leadView({ lead, events, callbacks }: LeadDetails, { account, record }: Tenant, urls: Urls) {
  const { lead_id, submission, trace } = lead
  const accepted = acceptedOf(lead.deliveries)
  const deliveries = lead.deliveries.map(async (delivery: SandboxDelivery) => {
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
    deliveries: await Promise.all(deliveries),
    events: events.map(({ lead_id: _, recorded_at, ...event }) => ({ ...event, recorded_at: iso(recorded_at) })),
    callbacks: callbacks.map(callback => callbackView(callback, record)),
  }
}

function responseView(response: HttpResponse) {
  const { status, broken } = response
  return broken ? { status: 0, body: '', broken } : { status, body: parseBody(response) }
}
