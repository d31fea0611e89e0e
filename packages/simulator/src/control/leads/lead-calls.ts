import { withNearMisses } from '@lead-distribution/diagnostics'
import { acceptedOf, explainLead } from '@lead-distribution/engine'
import type { HttpResponse } from '@lead-distribution/http'
import { readScenario } from '@lead-distribution/test-leads/scenarios'
import { reportAsAdvertiser } from '../../advertisers/report-as-advertiser.ts'
import { unknownScenario } from '../../scenarios/words.ts'
import { scenarioHeader } from '../../surface.ts'
import { type ControlCalls, type ControlContext, done, onTenants } from '../context.ts'
import { controlError, noSuch, readInput, readQuery, refuseFields } from '../control-error.ts'
import { defaultLimit, page } from '../paging.ts'
import { leadQuery, trigger } from './lead.shape.ts'
import type { leadOperations } from './lead-operations.ts'
import { leadFile, leadView } from './lead-view.ts'

const notDistributed = controlError(
  409,
  'not_distributed',
  'No advertiser has this lead, so none can report on it. Name an advertiser_id to see how the service refuses it.',
)

/** What the operations on leads do. */
export function leadCalls(context: ControlContext): ControlCalls<typeof leadOperations> {
  const { urls, call, findNearMisses } = context
  const onTenant = onTenants(context)

  return {
    listLeads: onTenant(async (tenant, { query }) => {
      const { value, refused } = readQuery(leadQuery, query)
      if (refused) return refused
      const { limit = defaultLimit, email, status, before } = value
      const { entries, next } = await tenant.storage.transact(async tables => {
        const filter = { status, email: email?.toLowerCase(), before: before?.toLowerCase(), limit: limit + 1 }
        const { entries, next } = page(await tables.listLeads(filter), limit, ({ lead_id }) => lead_id)
        const files = []
        for (const lead of entries) files.push(await leadFile(lead, tables))
        return { entries: files, next }
      })
      return done({ leads: await Promise.all(entries.map(file => leadView(file, tenant, urls))), ...next })
    }),
    explainLead: onTenant(async ({ ports, account }, { body, headers }) => {
      const scenario = headers[scenarioHeader]
      if (scenario !== undefined && !readScenario(scenario)) return unknownScenario
      const { status, body: reply, trace = [], warnings = [] } = await explainLead(ports, account, { body, scenario })
      const misses = findNearMisses(body, account.settings, account)
      return done({ would: { status, body: reply }, trace: withNearMisses(trace, misses), warnings })
    }),
    showLead: onTenant(async (tenant, { params: { lead_id = '' } }) => {
      const file = await tenant.storage.transact(async tables => {
        const lead = await tables.findLead(lead_id.toLowerCase())
        return lead && leadFile(lead, tables)
      })
      return file ? done(await leadView(file, tenant, urls)) : noSuch('lead')
    }),
    triggerEvent: onTenant(async (tenant, { params, body }) => {
      const { value, refused } = readInput(trigger, body)
      if (refused) return refused
      const { event, via, repeat = 1 } = value
      const lead_id = (params.lead_id ?? '').toLowerCase()
      const lead = await tenant.storage.transact(tables => tables.findLead(lead_id))
      if (!lead) return noSuch('lead')
      const advertiser_id = value.advertiser_id?.toLowerCase() ?? acceptedOf(lead.deliveries)[0]?.advertiser_id
      if (advertiser_id === undefined) return notDistributed
      const replies = []
      for (let nth = 0; nth < repeat; nth++) {
        const reply = await reportAsAdvertiser(tenant, urls, call, { lead_id, advertiser_id, event, via })
        if (!reply) return refuseFields({ field: 'advertiser_id', issue: 'is not in this account' })
        replies.push(replyView(reply))
      }
      return done({ replies })
    }),
  }
}

function replyView({ status, body, broken }: HttpResponse) {
  return broken ? { status: 0, body: '', broken } : { status, body: parsed(body) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
