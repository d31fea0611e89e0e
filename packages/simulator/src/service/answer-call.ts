import { isLeadStatus } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import type { Call, JsonResponse } from '@lead-distribution/http'
import { injectFault, latencyOf } from '../faults/inject-fault.ts'
import { brokenByScenario, scenarioOfCall } from '../faults/scenarios.ts'
import type { Metrics } from '../journal/metrics.ts'
import type { FaultRecord } from '../storage/fault-record.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { Timer } from '../time/clock.ts'
import { journalEntry } from './journal-entry.ts'
import type { ServiceResponse } from './responses.ts'

/** What answering a call works on. */
export interface AnswerOptions {
  readonly timer: Timer
  /** Real time, for durations. */
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
export function createAnswerCall({ timer, now, metrics }: AnswerOptions): AnswerCall {
  return async (tenant, call, respond, refused) => {
    const start = now()
    const at = tenant.clock.now()
    // Nothing is awaited where no fault is set: every call comes here.
    const fault = refused || tenant.faults.list().length === 0 ? undefined : await matchFault(tenant, call)
    const latency = fault ? latencyOf(fault.effect) : 0
    // Outside of the lock: a restore does not wait for it.
    if (latency > 0) await new Promise<void>(resolve => timer.after(latency, resolve))
    const note = (response: ServiceResponse) => {
      const entry = journalEntry({ call, response, at, ms: now() - start, fault_id: fault?.fault_id })
      tenant.journal.add(entry)
      if (isLeadStatus(entry.outcome)) metrics.lead(entry.outcome)
    }
    return tenant.lock.shared(async () => {
      try {
        const run = () => withScenario(respond)
        const response = fault ? await injectFault(fault.effect, run) : await run()
        note(response)
        return response
      } catch (error) {
        note({ status: 500, body: { error: 'internal_error' } })
        throw error
      }
    })
  }
}

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
