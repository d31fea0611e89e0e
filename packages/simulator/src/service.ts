import { basePath, isLeadStatus, keyHeader, maxBodyBytes } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import { type Answer, reportEvent, reportStatus, submitLead, unauthorized } from '@lead-distribution/engine'
import { type Call, createHandler, type Handler, type JsonResponse } from '@lead-distribution/http'
import { readScenario } from '@lead-distribution/test-leads/scenarios'
import { disturbCall, latencyOf } from './faults/disturb-call.ts'
import { requestOfCall } from './journal/request-of-call.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Timer } from './ports/timer.ts'
import { scenarioOfCall } from './scenarios/scenario-of-call.ts'
import { brokenBy, unknownScenario } from './scenarios/words.ts'
import { scenarioHeader } from './surface.ts'
import type { Tenant } from './tenants/tenant.ts'
import type { TenantRegistry } from './tenants/tenant-registry.ts'

/** Whose call of the service it is. */
interface Caller {
  readonly tenant: Tenant
  /** Only of an advertiser's key. */
  readonly advertiser_id: string
}

/** What the service works on. */
export interface ServiceOptions {
  readonly registry: TenantRegistry
  readonly timer: Timer
  /** Real time, for durations. */
  readonly now: () => number
  readonly metrics: Metrics
  /** Told of every reply. */
  readonly onReply: (operation: OperationName | undefined, status: number) => void
  readonly onError: (fault: unknown) => void
}

/**
 * The service of the specification, for all tenants: the key selects the tenant, the pixel's lead where there is no
 * key. Around each call stand the faults of its tenant and its journal.
 */
export function createService({ registry, timer, now, metrics, onReply, onError }: ServiceOptions): Handler {
  /** Answers a call, disturbed where a fault of the tenant says so, and notes it. */
  async function around(
    { tenant }: Caller,
    call: Call<OperationName>,
    run: () => Promise<Answer>,
    refused: boolean,
  ): Promise<JsonResponse> {
    const start = now()
    const at = tenant.clock.now()
    // Nothing is awaited where no fault is set: this is every call's way.
    const fault = refused || tenant.faults.list().length === 0 ? undefined : await strike(tenant, call)
    const latency = fault ? latencyOf(fault.effect) : 0
    // Outside of the gate: whoever puts the tenant back does not wait with it.
    if (latency > 0) await new Promise<void>(resolve => timer.after(latency, resolve))
    const note = (reply: JsonResponse) => {
      const request = requestOfCall({ call, reply, at, ms: now() - start, fault_id: fault?.fault_id })
      tenant.journal.add(request)
      if (isLeadStatus(request.outcome)) metrics.lead(request.outcome)
    }
    return tenant.gate.pass(async () => {
      try {
        const reply = fault ? await disturbCall(fault.effect, () => played(run)) : await played(run)
        note(reply)
        return reply
      } catch (thrown) {
        note({ status: 500, body: { error: 'internal_error' } })
        throw thrown
      }
    })
  }

  function strike(tenant: Tenant, call: Call<OperationName>) {
    return tenant.gate.pass(() => tenant.faults.strike(call.operation, () => scenarioOfCall(call, tenant)))
  }

  return createHandler<OperationName, Caller, Answer>({
    basePath,
    operations,
    maxBodyBytes,
    onError,
    onReply,
    async authenticate({ operation, query, headers, params }) {
      const { key: scope } = operations[operation]
      const holder = scope === 'lead-token' ? undefined : registry.findKey(headers[keyHeader] ?? '')
      const tenant = holder
        ? registry.find(holder.tenant)
        : scope === 'lead-token'
          ? await registry.findByLead((params.lead_id ?? '').toLowerCase())
          : undefined
      const caller = tenant && { tenant, advertiser_id: holder?.advertiser_id ?? '' }
      // A key never stands in a URL, where it is in logs already; and each has the one scope it was made for (Spec 5).
      const refused = query.has(keyHeader) || (holder && holder.scope !== scope)
      return caller && !refused ? { caller } : { refused: unauthorized, caller }
    },
    around: (caller, call, run, refused) =>
      around(caller, call, run, refused).catch(thrown => {
        // A tenant that is deleted while a call of it is under way has no callers any more.
        if (registry.find(caller.tenant.record.tenant) !== caller.tenant) return unauthorized
        throw thrown
      }),
    implementations: {
      async submitLead({ tenant }, { body, headers }) {
        const scenario = headers[scenarioHeader]
        if (scenario !== undefined && !readScenario(scenario)) return unknownScenario
        const answer = await submitLead(tenant.ports, tenant.account, { body, scenario })
        if (answer.lead_id !== undefined && tenant.account.settings.lifecycle.length > 0) tenant.work.wake()
        return answer
      },
      reportStatus: ({ tenant, advertiser_id }, { method, params, body }) =>
        reportStatus(tenant.ports, tenant.account, { method, lead_id: params.lead_id ?? '', advertiser_id, body }),
      reportEvent: ({ tenant }, { params, query }) =>
        reportEvent(tenant.ports, tenant.account, { lead_id: params.lead_id ?? '', query }),
    },
  })
}

/** An answer, broken where the scenario that it played says so. */
async function played(run: () => Promise<Answer>): Promise<JsonResponse> {
  const reply = await run()
  const broken = brokenBy(reply.forced_by)
  return broken ? { ...reply, broken } : reply
}
