import { basePath, keyHeader, maxBodyBytes } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import { reportEvent, reportStatus, submitLead, unauthorized } from '@lead-distribution/engine'
import { type Call, type CallReply, createHandler, type Handler } from '@lead-distribution/http'
import type { Tenant } from './tenants/tenant.ts'
import type { TenantRegistry } from './tenants/tenant-registry.ts'

/** Whose call of the service it is. */
interface Caller {
  readonly tenant: Tenant
  /** Only of an advertiser's key. */
  readonly advertiser_id: string
}

/** The service of the specification, for all tenants: the key selects the tenant, the pixel's lead where there is no key. */
export function createService(registry: TenantRegistry, onFault: (fault: unknown) => void): Handler {
  async function findCaller({
    operation,
    query,
    headers,
    params,
  }: Omit<Call<OperationName>, 'body'>): Promise<Caller | undefined> {
    // A key never stands in a URL (Spec 5): there it is in logs already, and refused.
    if (query.has(keyHeader)) return undefined
    const { key: scope } = operations[operation]
    if (scope === 'lead-token') {
      const tenant = await registry.findByLead((params.lead_id ?? '').toLowerCase())
      return tenant && { tenant, advertiser_id: '' }
    }
    const holder = registry.findKey(headers[keyHeader] ?? '')
    const tenant = holder?.scope === scope ? registry.find(holder.tenant) : undefined
    return tenant && { tenant, advertiser_id: holder?.advertiser_id ?? '' }
  }

  /** A tenant that is deleted while a call of it is under way has no callers any more. */
  const whileThere =
    (run: (caller: Caller, call: Call<OperationName>) => Promise<CallReply>) =>
    async (caller: Caller, call: Call<OperationName>): Promise<CallReply> => {
      try {
        return await run(caller, call)
      } catch (fault) {
        if (registry.find(caller.tenant.record.tenant) === caller.tenant) throw fault
        return unauthorized
      }
    }

  return createHandler<OperationName, Caller>({
    basePath,
    operations,
    maxBodyBytes,
    onFault,
    authenticate: async call => {
      const caller = await findCaller(call)
      return caller ? { caller } : { refused: unauthorized }
    },
    implementations: {
      submitLead: whileThere(({ tenant }, { body }) => submitLead(tenant.ports, tenant.account, body)),
      reportStatus: whileThere(({ tenant, advertiser_id }, { method, params, body }) =>
        reportStatus(tenant.ports, tenant.account, { method, lead_id: params.lead_id ?? '', advertiser_id, body }),
      ),
      reportEvent: whileThere(({ tenant }, { params, query }) =>
        reportEvent(tenant.ports, tenant.account, { lead_id: params.lead_id ?? '', query }),
      ),
    },
  })
}
