import { basePath, keyHeader, maxBodyBytes } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import { reportEvent, reportStatus, submitLead } from '@lead-distribution/engine'
import { type Authenticated, type CallHead, createHandler, type RequestHandler } from '@lead-distribution/http'
import { applyScenario, refuseScenario } from '../faults/scenarios.ts'
import { scenarioHeader } from '../paths.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { type AnswerOptions, createAnswerCall } from './answer-call.ts'
import {
  eventResponse,
  refuseMethod,
  type ServiceResponse,
  statusResponse,
  submitResponse,
  unauthorized,
} from './responses.ts'

/** The holder of a key or token. */
interface Principal {
  readonly tenant: Tenant
  /** Empty except for an advertiser's key. */
  readonly advertiser_id: string
}

/** What the service works on. */
export interface ServiceOptions extends AnswerOptions {
  readonly registry: TenantRegistry
  /** Called with every response. */
  readonly onResponse: (operation: OperationName | undefined, status: number) => void
  readonly onError: (error: unknown) => void
}

/** The service of the specification, for all tenants: the key selects the tenant, the lead's id at the pixel. */
export function createService(options: ServiceOptions): RequestHandler {
  const { registry, onResponse, onError } = options
  const answerCall = createAnswerCall(options)
  return createHandler<typeof operations, Principal, ServiceResponse>({
    ...{ basePath, operations, maxBodyBytes, onError, onResponse },
    authenticate: async call => authenticate(registry, call),
    around: ({ tenant }, call, respond, refused) =>
      answerCall(tenant, call, respond, refused).catch((error: unknown) => {
        // A tenant that was deleted while a call of it was under way has no keys any more.
        if (registry.find(tenant.record.tenant) !== tenant) return unauthorized
        throw error
      }),
    handlers: {
      async submitLead({ tenant }, { input: body, headers }) {
        const { ports, account, scheduler } = tenant
        const scenario = headers[scenarioHeader]
        const refused = refuseScenario(scenario)
        if (refused) return refused
        const findForcedOutcome = applyScenario(scenario, { dry: false })
        const result = await submitLead(ports, account, { body, findForcedOutcome })
        if (result.lead_id !== undefined && account.settings.lifecycle.length > 0) scheduler.wake()
        return submitResponse(result, account.settings)
      },
      async reportStatus({ tenant: { ports, account }, advertiser_id }, { method, params, input: body }) {
        const refused = refuseMethod(method, account.settings)
        if (refused) return refused
        const result = await reportStatus(ports, account, { lead_id: params.lead_id, advertiser_id, body })
        return statusResponse(result, method, account.settings)
      },
      async reportEvent({ tenant: { ports, account } }, { params, query }) {
        const report = { lead_id: params.lead_id, parameters: [...query] }
        return eventResponse(await reportEvent(ports, account, report))
      },
    },
  })
}

/** The principal of a call; or the refusal, and the tenant it is about where that is known. */
function authenticate(
  registry: TenantRegistry,
  { operation, query, headers, params }: CallHead<OperationName>,
): Authenticated<Principal> {
  const { key: scope } = operations[operation]
  const holder = scope === 'lead-token' ? undefined : registry.findKey(headers[keyHeader] ?? '')
  const tenant =
    scope === 'lead-token'
      ? registry.findByLead((params.lead_id ?? '').toLowerCase())
      : holder && registry.find(holder.tenant)
  const principal = tenant && { tenant, advertiser_id: holder?.advertiser_id ?? '' }
  // A key is never in a URL, which is in logs already; and each has the one scope it was made for (Spec 5).
  const refused = query.has(keyHeader) || (holder && holder.scope !== scope)
  return principal && !refused ? { principal } : { refused: unauthorized, principal }
}
