import type { Layer } from '@lead-distribution/http'
import { scenarioHeader } from '../effects/effects.ts'
import { changeResponse, latencyOf, replaceCall } from '../effects/inject-effect.ts'
import { effectOfScenario, refuseScenario, scenarioOfCall } from '../effects/scenarios.ts'
import { maxDelayedRequests, tooManyAtOnce } from '../tenants/waiting-requests.ts'
import { pause } from '../time/clock.ts'
import { type ServiceResponse, unauthorized } from './responses.ts'
import type { LeadServiceOptions, ServiceCall } from './service-call.ts'

/**
 * Finds the fault that acts on a call, and applies its delay. Runs outside the lock, so that a restore doesn't wait for
 * it.
 */
export function matchFault({ timer }: Pick<LeadServiceOptions, 'timer'>): Layer<ServiceCall> {
  return async (call, next) => {
    const { tenant, operation } = call
    call.fault = undefined
    // Hot path: awaits nothing if no fault is set.
    if (call.refused === unauthorized || tenant.faults.list().length === 0) return next()
    const findScenario = () => scenarioOfCall(call, tenant.storage)
    call.fault = await tenant.lock.shared(() => tenant.faults.matchFault(operation, findScenario))
    const latency = call.fault ? latencyOf(call.fault.effect) : 0
    // If the caller disconnects, the delay ends and the call is still processed, as a slow service would.
    const delay = latency > 0 && tenant.waits.delays.run(call.wait, gone => pause(timer, latency, gone))
    if (delay) await delay
    else if (delay === undefined) call.refused = tooManyDelayed
    return next()
  }
}

/** Applies a fault's effect to the response. */
export const applyFault: Layer<ServiceCall> = async ({ fault }, next) =>
  fault ? (replaceCall(fault.effect) ?? changeResponse(fault.effect, await next())) : next()

/** Applies a scenario's effect to the response. The handler applies the forced outcome. */
export const applyScenario: Layer<ServiceCall> = async (call, next) => {
  const { operation, headers, refused } = call
  const unknown = operation === 'submitLead' && !refused ? refuseScenario(headers[scenarioHeader]) : undefined
  if (unknown) return unknown
  const response: ServiceResponse = await next()
  const effect = effectOfScenario(response.notes?.forced_by)
  return effect ? changeResponse(effect, response) : response
}

const tooManyDelayed = tooManyAtOnce(
  `Faults already delay ${maxDelayedRequests} requests of this tenant. Retry later, or remove the fault.`,
)
