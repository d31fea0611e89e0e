import type { Account } from '@lead-distribution/contract'
import { findNearMisses } from '@lead-distribution/contract/diagnostics'
import { operations } from '@lead-distribution/contract/shapes'
import { reportEvent, reportStatus, submitLead } from '@lead-distribution/engine'
import { scenarioHeader } from '../effects/effects.ts'
import { forceOutcome } from '../effects/scenarios.ts'
import { originHeader, readOrigin } from '../origin.ts'
import type { EnginePorts } from '../tenants/sharing.ts'
import { eventResponse, refuseMethod, type ServiceResponse, statusResponse, submitResponse } from './responses.ts'
import type { LeadServiceOptions, ServiceCall } from './service-call.ts'

type Context = Pick<LeadServiceOptions, 'onError'>

/** The operations of the specification with their handlers. */
export const serviceOperations = {
  submitLead: {
    ...operations.submitLead,
    async handle({ tenant, ports, input: body, headers }: ServiceCall, { onError }: Context): Promise<ServiceResponse> {
      const { account, worker, forwarding } = tenant
      const findForcedOutcome = forceOutcome(headers[scenarioHeader], { dry: false })
      const result = await submitLead(ports, account, { body, findForcedOutcome })
      if (result.lead_id !== undefined && account.settings.lifecycle.length > 0) worker.wake()
      if (result.status === 'distributed') await forwarding.forward(result.lead_id)
      const response = submitResponse(result, account.settings)
      // A lead with all its fields parsed has no near misses, like most calls.
      if (result.lead_id !== undefined && !leavesOut(result.lead, body)) return response
      return { ...response, notes: { ...response.notes, near_misses: nearMissesOf(body, account, onError) } }
    },
  },
  reportStatus: {
    ...operations.reportStatus,
    async handle(call: ServiceCall): Promise<ServiceResponse> {
      const { tenant, advertiser_id, method, params, input: body } = call
      const { settings } = tenant.account
      const refused = refuseMethod(method, settings)
      if (refused) return refused
      const report = { lead_id: params.lead_id ?? '', advertiser_id, body }
      return statusResponse(await reportStatus(portsOf(call), tenant.account, report), method, settings)
    },
  },
  reportEvent: {
    ...operations.reportEvent,
    async handle(call: ServiceCall): Promise<ServiceResponse> {
      const { tenant, params, query } = call
      const report = { lead_id: params.lead_id ?? '', parameters: [...query] }
      return eventResponse(await reportEvent(portsOf(call), tenant.account, report))
    },
  },
}

/** Returns the ports of a report. A callback caused by a sandbox tool records the tool's name, for the coverage. */
function portsOf({ ports, headers }: ServiceCall): EnginePorts {
  const named = headers[originHeader]
  const origin = named === undefined ? undefined : readOrigin(named).tool
  return origin ? { ...ports, callbackFields: { origin } } : ports
}

/** Returns true if the body has fields that the parsed lead lacks. */
function leavesOut(lead: unknown, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || typeof lead !== 'object' || lead === null) return false
  for (const name in body) {
    const value = Reflect.get(body, name)
    if (!(name in lead)) return true
    if (typeof value === 'object' && leavesOut(Reflect.get(lead, name), value)) return true
  }
  return false
}

/** Finds near misses. An error here doesn't fail the call. */
function nearMissesOf(body: unknown, account: Account, onError: (error: unknown) => void) {
  try {
    return findNearMisses(body, { interpretation: account.settings, account })
  } catch (error) {
    onError(error)
    return []
  }
}
