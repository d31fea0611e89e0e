import {
  dateTimeMs,
  leadStatuses,
  maxEmailLength,
  maxStatusLength,
  rejectionReasons,
} from '@lead-distribution/contract'
import { findNearMisses, withNearMisses } from '@lead-distribution/contract/diagnostics'
import { dateTime, operations, uuid } from '@lead-distribution/contract/shapes'
import { acceptedOf, explainLead, type LeadRecord, passingValue, type SubmitResult } from '@lead-distribution/engine'
import { type Call, type HttpResponse, parseBody } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { reportAsAdvertiser } from '../advertisers/advertisers.ts'
import { scenarioHeader } from '../effects/effects.ts'
import { forceOutcome, refuseScenario } from '../effects/scenarios.ts'
import { originHeader, readOrigin } from '../origin.ts'
import { submitResponse } from '../service/responses.ts'
import type { LeadSearch } from '../storage/queries.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { operation } from './operation.ts'
import { readPage } from './paging.ts'
import {
  lead,
  leadSubmission,
  leadSummary,
  leadView,
  offered,
  passesWith,
  portabilityWarning,
  reportWay,
  summaryView,
  timeThatExists,
  trace,
  traceView,
  wholeNumber,
} from './shapes.ts'

/** The filters of leads and submissions. */
export const leadFilter = {
  status: z.optional(z.enum(leadStatuses)),
  reason: z.optional(z.enum(rejectionReasons)),
  product_id: z.optional(uuid),
  /** The whole address. */
  email: z.optional(z.string().check(z.minLength(1))),
  /** A part of the e-mail address, the customer's name or `external_id`. */
  customer: z.optional(z.string().check(z.minLength(1), z.maxLength(maxEmailLength))),
  /** The whole id. */
  external_id: z.optional(z.string().check(z.minLength(1))),
  from: z.optional(dateTime),
  to: z.optional(dateTime),
  limit: z.optional(wholeNumber('limit')),
}

const leadQuery = z.strictObject({
  ...leadFilter,
  /** Adds the whole submission to each lead. */
  include: z.optional(z.enum(['submission'])),
  before: z.optional(uuid),
})

/** The response that a submission would get, and the reasons for it. */
const explanation = z.strictObject({
  would: z.strictObject({ status: z.int(), body: z.record(z.string(), z.unknown()) }),
  trace,
  passes_with: passesWith,
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

/** The service's responses to the simulated advertiser's reports, in order. */
const triggered = z.strictObject({
  replies: z.array(
    z.strictObject({ status: z.int(), body: z.unknown(), broken: z.optional(z.enum(['cut', 'withheld'])) }),
  ),
})

const notDistributed = controlError(
  'not_distributed',
  'No advertiser has this lead, so none can report on it. To see how the service refuses such a report, set advertiser_id.',
)

export const leadOperations = {
  listLeads: operation(
    {
      title: 'List leads',
      description:
        'Returns summaries of leads, newest first. A page of search results may contain fewer leads than the limit and still have a next page. `customer` finds a part of an e-mail address, a name or an `external_id`; `email` and `external_id` find whole ones. Names and ids are compared by their first 100 characters, ignoring letter case and accents. Use `include=submission` to include each submission; show a single lead to get everything.',
      methods: ['GET'],
      path: '/tenants/:tenant/leads',
      input: leadQuery,
      reply: z.strictObject({
        leads: z.array(z.extend(leadSummary, { submission: z.optional(leadSubmission) })),
        next: z.optional(z.string()),
      }),
    },
    async ({ tenant, input }) => {
      const refused = refuseTimes(input)
      if (refused) return refused
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
      description:
        'Returns the response that the service would give to this submission, and the reasons, without submitting it.',
      methods: ['POST'],
      path: '/tenants/:tenant/leads/explain',
      input: operations.submitLead.input,
      validation: 'handler',
      reply: explanation,
    },
    async ({ tenant, input, headers }) => {
      const { account } = tenant
      const { refused, result, now } = await runDry(tenant, input, headers)
      if (refused) return refused
      const { status, body, notes } = submitResponse(result, account.settings)
      const misses = findNearMisses(input, { interpretation: account.settings, account })
      const trace = withNearMisses(traceView(result.trace), misses)
      const { lead } = result
      return {
        body: {
          would: { status, body: { ...body } },
          trace,
          passes_with: lead && passingValue({ lead, trace: result.trace }, account, now),
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
      description: 'Reports an event of the lead through the real endpoint, as the simulated advertiser.',
      methods: ['POST'],
      path: '/tenants/:tenant/leads/:lead_id/trigger',
      input: trigger,
      reply: triggered,
      errors: ['not_distributed'],
    },
    async ({ tenant, params, input, headers }, { urls, call }) => {
      const { tool } = readOrigin(headers[originHeader])
      const { event, via, repeat = 1 } = input
      const lead_id = params.lead_id
      const lead = await tenant.storage.read(tables => tables.findLead(lead_id))
      if (!lead) return noSuch('lead')
      const advertiser_id = input.advertiser_id ?? acceptedOf(lead.deliveries)[0]?.advertiser_id
      if (advertiser_id === undefined) return notDistributed
      const replies = []
      for (let nth = 0; nth < repeat; nth++) {
        const response = await reportAsAdvertiser(tenant, urls, call, { lead_id, advertiser_id, event, via, tool })
        if (!response) return refuseFields({ field: 'advertiser_id', issue: 'is not in this account' })
        replies.push(responseView(response))
      }
      return { body: { replies } }
    },
  ),
}

/** Decides on a submission without submitting it. Refuses an unknown scenario. */
export async function runDry({ ports, account, clock }: Tenant, body: unknown, headers: Call['headers']) {
  const scenario = headers[scenarioHeader]
  const refused = refuseScenario(scenario)
  if (refused) return { refused }
  const now = clock.now()
  const findForcedOutcome = forceOutcome(scenario, { dry: true })
  const submission = { body, findForcedOutcome }
  return { now, result: await explainLead({ ...ports, clock: { now: () => now } }, account, submission) }
}

/** Returns the advertisers that a result's lead was offered to. */
export function offersOf(result: SubmitResult) {
  const deliveries = 'deliveries' in result ? result.deliveries : []
  return deliveries.map(({ redirect_url: _, ...offer }) => offer)
}

/**
 * The number of leads that a transaction and a request read. A search is a bounded scan of a covering index, newest
 * first, because no index finds a part of a text on all storages. A long search takes many short requests.
 */
const [window, maxRows] = [5_000, 20_000]

export interface LeadList {
  read(page: { before: string | undefined; limit: number }): Promise<readonly LeadRecord[]>
  /** Returns where to continue a search that reached its read limit before it found enough leads. */
  stoppedAt(): string | undefined
}

export function leadList({ storage }: Tenant, query: z.output<typeof leadQuery>): LeadList {
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
    customer: more.customer,
    external_id: more.external_id,
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
        if (rows >= maxRows) {
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

/** Refuses a bound that is not a valid time, such as 30 February. */
export function refuseTimes(bounds: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  const field = (['from', 'to'] as const).find(name => Number.isNaN(timeOf(bounds[name])))
  return field && refuseFields({ field, issue: timeThatExists })
}

export const timeOf = (text: string | undefined) => (text === undefined ? undefined : dateTimeMs(text))

function responseView(response: HttpResponse) {
  const { status, broken } = response
  return broken ? { status: 0, body: '', broken } : { status, body: parseBody(response) }
}
