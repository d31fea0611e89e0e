import type { Layer } from '@lead-distribution/http'
import { scenarioHeader } from '../effects/effects.ts'
import { changeResponse, latencyOf, replaceCall } from '../effects/inject-effect.ts'
import { effectOfScenario, refuseScenario, scenarioOfCall } from '../effects/scenarios.ts'
import { maxDelayedCalls, tooManyAtOnce } from '../tenants/waiting-calls.ts'
import { pause } from '../time/clock.ts'
import { type ServiceResponse, unauthorized } from './responses.ts'
import type { LeadServiceOptions, ServiceCall } from './service-call.ts'

/** Finds the fault that matches a call, and delays the call by it: outside the lock, so that a restore does not wait for it. */
export function matchFault({ timer }: Pick<LeadServiceOptions, 'timer'>): Layer<ServiceCall> {
  return async (call, next) => {
    const { tenant, operation } = call
    call.fault = undefined
    // Nothing is awaited if no fault is set: every call comes here.
    if (call.refused === unauthorized || tenant.faults.list().length === 0) return next()
    const findScenario = () => scenarioOfCall(call, tenant.storage)
    call.fault = await tenant.lock.shared(() => tenant.faults.matchFault(operation, findScenario))
    const latency = call.fault ? latencyOf(call.fault.effect) : 0
    // If the caller goes away, the delay ends and the call is made at once, as a slow service would make it.
    const delay = latency > 0 && tenant.waits.delays.run(call.wait, gone => pause(timer, latency, gone))
    if (delay) await delay
    else if (delay === undefined) call.refused = tooManyDelayed
    return next()
  }
}

/** Responds as the fault of a call demands. */
export const applyFault: Layer<ServiceCall> = async ({ fault }, next) =>
  fault ? (replaceCall(fault.effect) ?? changeResponse(fault.effect, await next())) : next()

/** Responds as the scenario of a submission demands. The handler applies the outcome that it forces. */
export const applyScenario: Layer<ServiceCall> = async (call, next) => {
  const { operation, headers, refused } = call
  const unknown = operation === 'submitLead' && !refused ? refuseScenario(headers[scenarioHeader]) : undefined
  if (unknown) return unknown
  const response: ServiceResponse = await next()
  const effect = effectOfScenario(response.notes?.forced_by)
  return effect ? changeResponse(effect, response) : response
}

const tooManyDelayed = tooManyAtOnce(
  `A fault delays ${maxDelayedCalls} calls of this tenant already. Send this one again later, or remove the fault.`,
)
