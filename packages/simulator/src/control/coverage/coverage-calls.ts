import { examinePostback } from '../../doctor/examine-postback.ts'
import { coverageView } from '../../journal/coverage.ts'
import { type ControlCalls, type ControlContext, done, onTenants } from '../context.ts'
import { readInput } from '../control-error.ts'
import { postback } from './coverage.shape.ts'
import type { coverageOperations } from './coverage-operations.ts'

/** How many other leads a token is compared with that fits none of its own. */
const otherLeads = 100

/** What the operations do that look at how a tenant was used. */
export function coverageCalls(context: ControlContext): ControlCalls<typeof coverageOperations> {
  const onTenant = onTenants(context)
  return {
    showCoverage: onTenant(async ({ journal }) => done(coverageView(journal.coverage()))),
    diagnosePostback: onTenant(async ({ storage, account }, { body }) => {
      const { value, refused } = readInput(postback, body)
      if (refused) return refused
      const findings = await examinePostback(value.url, {
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
      return done({ findings })
    }),
  }
}
