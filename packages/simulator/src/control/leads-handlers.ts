import { acceptedOf, type EventRecord, explainLead, type LeadRecord } from '@lead-distribution/engine'
import { type HttpResponse, parseBody } from '@lead-distribution/http'
import { reportAsAdvertiser } from '../advertisers/advertiser-network.ts'
import { postbackUrl } from '../advertisers/hand-over.ts'
import { applyScenario, refuseScenario } from '../faults/scenarios.ts'
import { scenarioHeader, type Urls } from '../paths.ts'
import { submitResponse } from '../service-http/responses.ts'
import type { BackendAnswer, SandboxDelivery } from '../storage/deliveries.ts'
import type { SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { callbackView } from './callbacks-handlers.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { leadList } from './lead-list.ts'
import type { leadOperations } from './leads.ts'
import { readPage } from './operation-defaults.ts'

const notDistributed = controlError(
  'not_distributed',
  'No advertiser has this lead, so none can report on it. Name an advertiser_id to see how the service refuses it.',
)

/** The handlers of the operations on leads. */
export function leadHandlers(context: ControlContext): ControlHandlers<typeof leadOperations> {
  const { urls, call } = context
  const onTenant = onTenants(context)

  return {
    listLeads: onTenant(async (tenant, { input }) => {
      const list = leadList(tenant, input)
      if ('status' in list) return list
      const { entries, ...next } = await readPage({
        limit: input.limit,
        before: input.before?.toLowerCase(),
        read: list.read,
        async show(lead) {
          const details = await tenant.storage.transact(tables => leadDetails(lead, tables))
          return leadView(details, tenant, urls)
        },
        idOf: ({ lead_id }) => lead_id,
      })
      const stoppedAt = list.stoppedAt()
      return { body: { leads: entries, ...(stoppedAt !== undefined && { next: stoppedAt }), ...next } }
    }),
    explainLead: onTenant(async ({ ports, account }, { input, headers }) => {
      const scenario = headers[scenarioHeader]
      const refused = refuseScenario(scenario)
      if (refused) return refused
      const findForcedOutcome = applyScenario(scenario, { dry: true })
      const result = await explainLead(ports, account, { body: input, findForcedOutcome })
      const { status, body, notes } = submitResponse(result, account.settings)
      // Loaded by the first dry run: a page that holds the sandbox seldom asks for one. A load that fails is tried anew.
      const { explainSubmission } = await import('../diagnosis/explain-submission.ts')
      const trace = explainSubmission(input, result.trace, account)
      return { body: { would: { status, body: { ...body } }, trace, warnings: notes?.warnings ?? [] } }
    }),
    showLead: onTenant(async (tenant, { params }) => {
      const details = await tenant.storage.transact(async tables => {
        const lead = await tables.findLead(params.lead_id.toLowerCase())
        return lead && leadDetails(lead, tables)
      })
      return details ? { body: await leadView(details, tenant, urls) } : noSuch('lead')
    }),
    triggerEvent: onTenant(async (tenant, { params, input }) => {
      const { event, via, repeat = 1 } = input
      const lead_id = params.lead_id.toLowerCase()
      const lead = await tenant.storage.transact(tables => tables.findLead(lead_id))
      if (!lead) return noSuch('lead')
      const advertiser_id = input.advertiser_id?.toLowerCase() ?? acceptedOf(lead.deliveries)[0]?.advertiser_id
      if (advertiser_id === undefined) return notDistributed
      const replies = []
      for (let nth = 0; nth < repeat; nth++) {
        const reply = await reportAsAdvertiser(tenant, urls, call, { lead_id, advertiser_id, event, via })
        if (!reply) return refuseFields({ field: 'advertiser_id', issue: 'is not in this account' })
        replies.push(replyView(reply))
      }
      return { body: { replies } }
    }),
  }
}

/** All that belongs to one lead. */
interface LeadDetails {
  readonly lead: LeadRecord
  readonly events: EventRecord[]
  readonly callbacks: SandboxCallback[]
}

async function leadDetails(lead: LeadRecord, tables: SandboxTables): Promise<LeadDetails> {
  const { lead_id } = lead
  return { lead, events: await tables.listEvents(lead_id), callbacks: await tables.listCallbacks(lead_id) }
}

/** A lead as the control plane shows it, with the postback URL of each advertiser that has it. */
async function leadView({ lead, events, callbacks }: LeadDetails, { account, record }: Tenant, urls: Urls) {
  const { lead_id, product_id, status, rejection_reason, received_at, submission, trace } = lead
  const accepted = acceptedOf(lead.deliveries)
  const deliveries = lead.deliveries.map(async (delivery: SandboxDelivery) => {
    const { backend, ...answer } = delivery
    if (!accepted.includes(delivery)) return answer
    const postback_url = await postbackUrl(urls, account, lead_id, delivery.advertiser_id)
    return { ...answer, ...(postback_url && { postback_url }), ...(backend && { backend: backendView(backend) }) }
  })
  return {
    lead_id,
    product_id,
    status,
    rejection_reason,
    redirect_url: accepted[0]?.redirect_url,
    received_at: iso(received_at),
    submission: { ...submission },
    trace,
    deliveries: await Promise.all(deliveries),
    events: events.map(({ lead_id: _, recorded_at, ...event }) => ({ ...event, recorded_at: iso(recorded_at) })),
    callbacks: callbacks.map(callback => callbackView(callback, record)),
  }
}

/** The answer of an advertiser's back end as the control plane shows it. */
export const backendView = ({ at, ...answer }: BackendAnswer) => ({ at: iso(at), ...answer })

function replyView(response: HttpResponse) {
  const { status, broken } = response
  return broken ? { status: 0, body: '', broken } : { status, body: parseBody(response) }
}
