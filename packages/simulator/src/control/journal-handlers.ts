import { coverageView, sumOfCounts } from '../journal/coverage.ts'
import type { RequestRecord } from '../storage/records.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants, openTo } from './context.ts'
import { noSuch } from './control-error.ts'
import type { coverageOperations, requestOperations } from './journal.ts'
import { readPage } from './operation-defaults.ts'

/** How many other leads a token is compared with that does not match its own lead. */
const otherLeads = 100

/** The handlers of the operations that report how a tenant was used. */
export function journalHandlers(
  context: ControlContext,
): ControlHandlers<typeof requestOperations & typeof coverageOperations> {
  const onTenant = onTenants(context)
  return {
    listRequests: onTenant(async ({ journal }, { input }) => {
      const { limit, before, operation, status, lead_id } = input
      const filter = {
        operation,
        status: status === undefined ? undefined : String(status),
        lead_id: lead_id?.toLowerCase(),
      }
      const { entries, ...next } = await readPage({
        limit,
        before,
        read: page =>
          journal.read({
            ...filter,
            ...page,
            before: page.before === undefined ? undefined : Number(page.before.slice(1)),
          }),
        show: requestView,
        idOf: requestId,
      })
      return { body: { requests: entries, ...next } }
    }),
    showRequest: onTenant(async ({ journal }, { params: { request_id } }) => {
      const number = /^r(\d{1,15})$/.exec(request_id)?.[1]
      if (number === undefined) return noSuch('request')
      const [found] = await journal.read({ before: Number(number) + 1, limit: 1 })
      return found?.number === Number(number) ? { body: requestView(found) } : noSuch('request')
    }),
    showCoverage: onTenant(async ({ journal }) => ({ body: coverageView(await journal.coverage()) })),
    async showCoverageOfAll(principal, { input: { prefix = '' } }) {
      const tenants = openTo(principal, context).filter(({ record }) => record.tenant.startsWith(prefix))
      const counts = sumOfCounts(await Promise.all(tenants.map(({ journal }) => journal.coverage())))
      return { body: { tenants: tenants.length, ...coverageView(counts) } }
    },
    diagnosePostback: onTenant(async ({ storage, account }, { input }) => {
      // Loaded by the first diagnosis: a page that holds the sandbox seldom asks for one. A load that fails is tried anew.
      const { diagnosePostback } = await import('../diagnosis/diagnose-postback.ts')
      const findings = await diagnosePostback(input.url, {
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

const requestId = ({ number }: Pick<RequestRecord, 'number'>) => `r${number}`

/** A call of the service as the control plane shows it. */
export function requestView({ number, at, ...request }: RequestRecord) {
  return { request_id: requestId({ number }), at: iso(at), ...request }
}
