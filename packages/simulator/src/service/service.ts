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
import { refuseUnavailable } from '../storage/storage-unavailable.ts'
import type { TenantAccount } from '../tenants/account.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { maxDelayedCalls, tooManyAtOnce } from '../tenants/waiting-calls.ts'
import { pause, type Timer } from '../time/clock.ts'
import {
  brokenTenant,
  callBodies,
  eventResponse,
  journalEntry,
  refuseMethod,
  type ServiceResponse,
  statusResponse,
  submitResponse,
  unauthorized,
} from './responses.ts'
import { confirm, type Seeing, upToDate } from './up-to-date.ts'

/** The holder of a key or token. */
interface Principal extends Seeing {
  /** Empty except for an advertiser's key. */
  readonly advertiser_id: string
}

export interface ServiceOptions {
  readonly registry: TenantRegistry
  readonly timer: Timer
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number
  readonly metrics: Metrics
  readonly onError: (error: unknown) => void
}

/** The service of the specification, for all tenants: the key selects the tenant, the lead's id at the pixel. */
export function createService(options: ServiceOptions): RequestHandler {
  const { registry, onError } = options
  const { refresh } = registry
  return createHandler<typeof operations, Principal, ServiceResponse>({
    basePath,
    operations,
    maxBodyBytes,
    onError,
    refuseError: refuseUnavailable,
    authenticate: refresh
      ? async call => {
          const found = authenticate(registry, call)
          if (found.principal) return found
          // Another process may have created it.
          await refresh()
          return authenticate(registry, call)
        }
      : call => authenticate(registry, call),
    around: async (principal, call, respond, refused) => {
      const noted = notedCall(options, principal, call, refused)
      const run = () => runCall(options, principal, noted, respond)
      try {
        return await (refresh ? upToDate(registry, refresh, principal, run) : run())
      } catch (error) {
        // A deleted tenant has no keys any more.
        if (registry.isGone(principal.tenant, error)) return unauthorized
        const failed = refuseUnavailable(error) ?? { status: 500, body: { error: 'internal_error' } }
        await principal.tenant.lock.shared(async () => noted.note(failed))
        throw error
      }
    },
    handlers: {
      async submitLead({ tenant, seen }, { input: body, headers }) {
        const { account, scheduler, handOver } = tenant
        const scenario = headers[scenarioHeader]
        const refused = refuseScenario(scenario)
        if (refused) return refused
        const findForcedOutcome = applyScenario(scenario, { dry: false })
        const ports = tenant.portsFor('lead', seen)
        const result = await submitLead(ports, account, { body, findForcedOutcome })
        if (result.lead_id !== undefined && account.settings.lifecycle.length > 0) scheduler.wake()
        if (result.status === 'distributed') await handOver.deliver(result.lead_id)
        const response = submitResponse(result, account.settings)
        // A lead that was read whole has no near misses: most calls end here.
        if (result.lead_id !== undefined && !leavesOut(result.lead, body)) return response
        return { ...response, notes: { ...response.notes, near_misses: await nearMissesOf(body, account, onError) } }
      },
      async reportStatus({ tenant, seen, advertiser_id }, { method, params, input: body }) {
        const { account } = tenant
        const refused = refuseMethod(method, account.settings)
        if (refused) return refused
        const ports = tenant.portsFor('callback', seen)
        const result = await reportStatus(ports, account, { lead_id: params.lead_id, advertiser_id, body })
        return statusResponse(result, method, account.settings)
      },
      async reportEvent({ tenant, seen }, { params, query }) {
        const { account } = tenant
        const ports = tenant.portsFor('callback', seen)
        const report = { lead_id: params.lead_id, parameters: [...query] }
        return eventResponse(await reportEvent(ports, account, report))
      },
    },
  })
}

/** Returns true if a lead that was read lacks some field of its body. */
function leavesOut(lead: unknown, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || typeof lead !== 'object' || lead === null) return false
  for (const name in body) {
    const value = Reflect.get(body, name)
    if (!(name in lead)) return true
    if (typeof value === 'object' && leavesOut(Reflect.get(lead, name), value)) return true
  }
  return false
}

async function nearMissesOf(body: unknown, account: TenantAccount, onError: (error: unknown) => void) {
  try {
    // Loaded by the first call that needs it. If the load fails, the next call tries again; this one does not fail.
    const { findNearMisses } = await import('../diagnosis/explain-submission.ts')
    return findNearMisses(body, { interpretation: account.settings, account })
  } catch (error) {
    onError(error)
    return []
  }
}

/** Finds the principal of a call; or the refusal, and the tenant if it is known. */
function authenticate(registry: TenantRegistry, call: CallHead<OperationName>): Authenticated<Principal> {
  const { operation, query, headers, params } = call
  const { key: scope } = operations[operation]
  const holder = scope === 'lead-token' ? undefined : registry.findKey(headers[keyHeader] ?? '')
  const tenant =
    scope === 'lead-token' ? registry.findByLead(params.lead_id ?? '') : holder && registry.find(holder.tenant)
  if (!tenant) return { refused: isOfBroken(registry, call) ? brokenTenant : unauthorized }
  const principal = { tenant, advertiser_id: holder?.advertiser_id ?? '' }
  // A key in a URL ends up in logs, so it is refused there; and each key has the one scope it was made for (Spec 5).
  const refused = query.has(keyHeader) || (holder && holder.scope !== scope)
  return refused ? { refused: unauthorized, principal } : { principal }
}

/** Returns true if the key or the lead of a call belongs to a tenant that could not be opened. */
function isOfBroken(
  { broken, findKey }: TenantRegistry,
  { operation, query, headers, params }: CallHead<OperationName>,
): boolean {
  const { key: scope } = operations[operation]
  if (scope === 'lead-token') return broken.findByLead(params.lead_id ?? '') !== undefined
  const holder = query.has(keyHeader) ? undefined : findKey(headers[keyHeader] ?? '')
  return holder?.scope === scope && broken.find(holder.tenant) !== undefined
}

/** A call, and how it comes into the journal. */
interface NotedCall {
  readonly call: Call<OperationName>
  readonly refused: boolean
  /** Milliseconds since 1970 on the tenant's clock. It runs again from another time. */
  at: number
  fault_id?: string | undefined
  /** Adds it to the journal. If processes share that, a caller that has its response finds the call through any of them. */
  note(response: ServiceResponse): Promise<void> | undefined
}

function notedCall(
  { now, metrics }: ServiceOptions,
  { tenant }: Principal,
  call: Call<OperationName>,
  refused: boolean,
): NotedCall {
  const start = now()
  return {
    call,
    refused,
    at: tenant.clock.now(),
    note(response) {
      const { at, fault_id } = this
      const entry = journalEntry(call, response, { at, ms: now() - start, fault_id })
      if (call.operation === 'submitLead' && isLeadStatus(entry.outcome)) metrics.lead(entry.outcome, entry.reason)
      return tenant.journal.add(entry, () => callBodies(call, response, entry, refused))
    },
  }
}

/**
 * Runs a call of a tenant: the fault that matches it, the tenant's lock, the broken response of its scenario, the journal.
 * `respond` runs it without a fault.
 */
async function runCall(
  { registry, timer }: ServiceOptions,
  principal: Principal,
  noted: NotedCall,
  respond: () => Promise<ServiceResponse>,
): Promise<JsonResponse> {
  const { tenant } = principal
  const { call, refused } = noted
  noted.at = tenant.clock.now()
  // Nothing is awaited if no fault is set: every call comes here.
  const fault = refused || tenant.faults.list().length === 0 ? undefined : await matchFault(tenant, call)
  noted.fault_id = fault?.fault_id
  const latency = fault ? latencyOf(fault.effect) : 0
  // Outside the lock, so that a restore does not wait for it. If the caller goes away, the delay ends and the call is
  // made at once, as a slow service would make it.
  const delay = latency > 0 && tenant.waits.delays.run(call.wait, gone => pause(timer, latency, gone))
  if (delay) await delay
  return tenant.lock.shared(async () => {
    const run = () => withScenario(respond)
    const done = fault ? () => injectFault(fault.effect, run) : run
    const response: ServiceResponse = delay === undefined ? tooManyDelayed : await done()
    if (registry.refresh) await confirm(principal, registry.refresh)
    const written = noted.note(response)
    if (written) await written
    return response
  })
}

const tooManyDelayed = tooManyAtOnce(
  `A fault delays ${maxDelayedCalls} calls of this tenant already. Send this one again later, or remove the fault.`,
)

function matchFault(tenant: Tenant, call: Call<OperationName>): Promise<FaultRecord | undefined> {
  const findScenario = () => scenarioOfCall(call, tenant.storage)
  return tenant.lock.shared(() => tenant.faults.matchFault(call.operation, findScenario))
}

/** Breaks the response if its scenario says so. */
async function withScenario(respond: () => Promise<ServiceResponse>): Promise<ServiceResponse> {
  const response = await respond()
  const broken = brokenByScenario(response.notes?.forced_by)
  return broken ? { ...response, broken } : response
}
