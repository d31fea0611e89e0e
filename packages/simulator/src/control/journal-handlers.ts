import { coverageView } from '../journal/coverage.ts'
import type { RequestRecord } from '../storage/records.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import type { coverageOperations, requestOperations } from './journal.ts'
import { defaultLimit, page } from './operation-defaults.ts'

/** How many other leads a token is compared with that does not match its own lead. */
const otherLeads = 100

/** The handlers of the operations that report how a tenant was used. */
export function journalHandlers(
  context: ControlContext,
): ControlHandlers<typeof requestOperations & typeof coverageOperations> {
  const onTenant = onTenants(context)
  return {
    listRequests: onTenant(async ({ journal }, { input }) => {
      const { limit = defaultLimit, before, operation, status, lead_id } = input
      const found = await journal.read({
        operation,
        status: status === undefined ? undefined : String(status),
        lead_id: lead_id?.toLowerCase(),
        before: before === undefined ? undefined : Number(before.slice(1)),
        limit: limit + 1,
      })
      const { entries, next } = page(found, limit, requestId)
      return { body: { requests: entries.map(requestView), ...next } }
    }),
    showCoverage: onTenant(async ({ journal }) => ({ body: coverageView(journal.coverage()) })),
    diagnosePostback: onTenant(async ({ storage, account }, { input }) => {
      // Loaded by the first diagnosis: a page that holds the sandbox seldom asks for one. A load that fails is tried anew.
      const { examinePostback } = await import('../doctor/examine-postback.ts')
      const findings = await examinePostback(input.url, {
        baseUrl: context.urls.base,
        findLead: leadId =>
          storage.transact(async tables => {
            const lead = await tables.findLead(leadId)
            if (!lead) return undefined
            const others = await tables.listLeads({ limit: otherLeads })
            const otherLeadIds = others.map(({ lead_id }) => lead_id).filter(id => id !== leadId)
            return { lead, account, otherLeadIds }
          }),
      })
      return { body: { findings } }
    }),
  }
}

const requestId = ({ number }: RequestRecord) => `r${number}`

function requestView({ number, at, ...request }: RequestRecord) {
  return { request_id: `r${number}`, at: iso(at), ...request }
}
