import { basePath, isLeadStatus, keyHeader, maxBodyBytes } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import { reportEvent, reportStatus, submitLead } from '@lead-distribution/engine'
import {
  type Authenticated,
  type Call,
  type CallHead,
  createHandler,
  type JsonResponse,
  type RequestHandler,
} from '@lead-distribution/http'
import { injectFault, latencyOf } from '../faults/inject-fault.ts'
import { applyScenario, brokenByScenario, refuseScenario, scenarioOfCall } from '../faults/scenarios.ts'
import type { Metrics } from '../journal/metrics.ts'
import { scenarioHeader } from '../paths.ts'
import type { FaultRecord } from '../storage/records.ts'
import { refuseUnavailable } from '../storage/unavailable.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantAccount } from '../tenants/tenant-account.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { maxDelayedCalls, pause, tooManyAtOnce } from '../tenants/waiting-calls.ts'
import type { Timer } from '../time/clock.ts'
import { journalEntry } from './journal-entry.ts'
import {
  brokenTenant,
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
  readonly onError: (error: unknown) => void
}

/** The service of the specification, for all tenants: the key selects the tenant, the lead's id at the pixel. */
export function createService(options: ServiceOptions): RequestHandler {
  const { registry, onError } = options
  const answerCall = createAnswerCall(options)
  return createHandler<typeof operations, Principal, ServiceResponse>({
    basePath,
    operations,
    maxBodyBytes,
    onError,
    refuseError: refuseUnavailable,
    authenticate: call => authenticate(registry, call),
    around: ({ tenant }, call, respond, refused) =>
      answerCall(tenant, call, respond, refused).catch((error: unknown) => {
        // What was deleted has no keys any more.
        if (registry.isGone(tenant, error)) return unauthorized
        throw error
      }),
    handlers: {
      async submitLead({ tenant }, { input: body, headers }) {
        const { account, scheduler, handOver } = tenant
        const scenario = headers[scenarioHeader]
        const refused = refuseScenario(scenario)
        if (refused) return refused
        const findForcedOutcome = applyScenario(scenario, { dry: false })
        const ports = await tenant.portsFor('lead')
        const result = await submitLead(ports, account, { body, findForcedOutcome })
        if (result.lead_id !== undefined && account.settings.lifecycle.length > 0) scheduler.wake()
        if (result.status === 'distributed') await handOver.deliver(result.lead_id)
        const response = submitResponse(result, account.settings)
        // A lead that was read whole has none: most calls end here.
        if (result.lead_id !== undefined && !leavesOut(result.lead, body)) return response
        return { ...response, notes: { ...response.notes, near_misses: await findNearMisses(body, account, onError) } }
      },
      async reportStatus({ tenant, advertiser_id }, { method, params, input: body }) {
        const { account } = tenant
        const refused = refuseMethod(method, account.settings)
        if (refused) return refused
        const ports = await tenant.portsFor('callback')
        const result = await reportStatus(ports, account, { lead_id: params.lead_id, advertiser_id, body })
        return statusResponse(result, method, account.settings)
      },
      async reportEvent({ tenant }, { params, query }) {
        const { account } = tenant
        const ports = await tenant.portsFor('callback')
        const report = { lead_id: params.lead_id, parameters: [...query] }
        return eventResponse(await reportEvent(ports, account, report))
      },
    },
  })
}

/** Whether a lead that was read is without some field of its body. */
function leavesOut(lead: unknown, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || typeof lead !== 'object' || lead === null) return false
  for (const name in body) {
    const value = Reflect.get(body, name)
    if (!(name in lead)) return true
    if (typeof value === 'object' && leavesOut(Reflect.get(lead, name), value)) return true
  }
  return false
}

async function findNearMisses(body: unknown, account: TenantAccount, onError: (error: unknown) => void) {
  try {
    // Loaded by the first call that needs it. A load that fails is tried anew, and is no failure of the call.
    const { nearMissesOf } = await import('../diagnosis/explain-submission.ts')
    return nearMissesOf(body, account)
  } catch (error) {
    onError(error)
    return []
  }
}

/** The principal of a call; or the refusal, and the tenant it is about where that is known. */
function authenticate(registry: TenantRegistry, call: CallHead<OperationName>): Authenticated<Principal> {
  const { operation, query, headers, params } = call
  const { key: scope } = operations[operation]
  const holder = scope === 'lead-token' ? undefined : registry.findKey(headers[keyHeader] ?? '')
  const tenant =
    scope === 'lead-token'
      ? registry.findByLead((params.lead_id ?? '').toLowerCase())
      : holder && registry.find(holder.tenant)
  if (!tenant) return { refused: isOfBroken(registry, call) ? brokenTenant : unauthorized }
  const principal = { tenant, advertiser_id: holder?.advertiser_id ?? '' }
  // A key is never in a URL, which is in logs already; and each has the one scope it was made for (Spec 5).
  const refused = query.has(keyHeader) || (holder && holder.scope !== scope)
  return refused ? { refused: unauthorized, principal } : { principal }
}

/** Returns true if the key or the lead of a call belongs to a tenant that could not be opened. */
function isOfBroken(
  { broken }: TenantRegistry,
  { operation, query, headers, params }: CallHead<OperationName>,
): boolean {
  const { key: scope } = operations[operation]
  if (scope === 'lead-token') return broken.findByLead((params.lead_id ?? '').toLowerCase()) !== undefined
  return !query.has(keyHeader) && broken.findKey(headers[keyHeader] ?? '')?.scope === scope
}

/** What answering a call works on. */
export interface AnswerOptions {
  readonly timer: Timer
  /** Real time that nobody sets, for durations. */
  readonly now: () => number
  readonly metrics: Metrics
}

/** Answers a call of a tenant. `respond` answers it without a fault; `refused`: it does so without a principal. */
export type AnswerCall = (
  tenant: Tenant,
  call: Call<OperationName>,
  respond: () => Promise<ServiceResponse>,
  refused: boolean,
) => Promise<JsonResponse>

/** What happens around each call: the fault that matches it, the tenant's lock, the scenario's broken response, the journal. */
function createAnswerCall({ timer, now, metrics }: AnswerOptions): AnswerCall {
  return async (tenant, call, respond, refused) => {
    const start = now()
    const at = tenant.clock.now()
    // Nothing is awaited where no fault is set: every call comes here.
    const fault = refused || tenant.faults.list().length === 0 ? undefined : await matchFault(tenant, call)
    const latency = fault ? latencyOf(fault.effect) : 0
    // Outside of the lock: a restore does not wait for it. A caller that is gone ends it, and the call is done at once, as
    // a slow service does it too.
    const delay = latency > 0 && tenant.waits.delays.run(call.wait, gone => pause(timer, latency, gone))
    if (delay) await delay
    const note = (response: ServiceResponse) => {
      const entry = journalEntry({ call, response, at, ms: now() - start, fault_id: fault?.fault_id })
      tenant.journal.add(entry)
      if (isLeadStatus(entry.outcome)) metrics.lead(entry.outcome, entry.reason)
    }
    return tenant.lock.shared(async () => {
      try {
        const run = () => withScenario(respond)
        const done = fault ? () => injectFault(fault.effect, run) : run
        const response: ServiceResponse = delay === undefined ? tooManyDelayed : await done()
        note(response)
        return response
      } catch (error) {
        note(refuseUnavailable(error) ?? { status: 500, body: { error: 'internal_error' } })
        throw error
      }
    })
  }
}

const tooManyDelayed = tooManyAtOnce(
  `A fault delays ${maxDelayedCalls} calls of this tenant already. Send this one again later, or remove the fault.`,
)

function matchFault(tenant: Tenant, call: Call<OperationName>): Promise<FaultRecord | undefined> {
  const findScenario = () => scenarioOfCall(call, tenant.storage)
  return tenant.lock.shared(() => tenant.faults.matchFault(call.operation, findScenario))
}

/** A response, broken where its scenario breaks it. */
async function withScenario(respond: () => Promise<ServiceResponse>): Promise<ServiceResponse> {
  const response = await respond()
  const broken = brokenByScenario(response.notes?.forced_by)
  return broken ? { ...response, broken } : response
}
