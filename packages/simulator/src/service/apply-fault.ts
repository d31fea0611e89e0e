import type { Layer } from '@lead-distribution/http'
import { injectFault, latencyOf } from '../faults/inject-fault.ts'
import { scenarioOfCall } from '../faults/scenarios.ts'
import type { FaultRecord } from '../storage/records.ts'
import { maxDelayedCalls, tooManyAtOnce } from '../tenants/waiting-calls.ts'
import { pause } from '../time/clock.ts'
import { unauthorized } from './responses.ts'
import type { LeadServiceOptions, ServiceCall } from './service.ts'

/** Applies the fault that matches a call: its delay, and what it does to the response. */
export function applyFault({ timer }: Pick<LeadServiceOptions, 'timer'>): Layer<ServiceCall> {
  return async (call, next) => {
    const { tenant } = call
    // Nothing is awaited if no fault is set: every call comes here.
    call.fault = call.refused === unauthorized || tenant.faults.list().length === 0 ? undefined : await matchFault(call)
    if (!call.fault) return next()
    const { effect } = call.fault
    const latency = latencyOf(effect)
    if (latency > 0) {
      // If the caller goes away, the delay ends and the call is made at once, as a slow service would make it.
      const delay = tenant.waits.delays.run(call.wait, gone => pause(timer, latency, gone))
      if (!delay) return tooManyDelayed
      await delay
    }
    return injectFault(effect, next)
  }
}

function matchFault(call: ServiceCall): Promise<FaultRecord | undefined> {
  const { tenant, operation } = call
  const findScenario = () => scenarioOfCall(call, tenant.storage)
  return tenant.lock.shared(() => tenant.faults.matchFault(operation, findScenario))
}

const tooManyDelayed = tooManyAtOnce(
  `A fault delays ${maxDelayedCalls} calls of this tenant already. Send this one again later, or remove the fault.`,
)
