import { durationMs } from '@lead-distribution/contract'
import { forcedError } from '@lead-distribution/contract/test-leads'
import type { JsonResponse } from '@lead-distribution/http'
import type { HttpEgress } from '../egress/guarded-egress.ts'
import type { Postponement } from '../storage/callback-tables.ts'
import type { FaultRecord } from '../storage/records.ts'
import { type CallbackHold, type Effect, type EffectDefinition, effects } from './effects.ts'

const rows = Object.entries<EffectDefinition>(effects)

/** Returns an effect's row and its value as a number: milliseconds for a duration, 1 for `true`. */
export function readEffect(effect: Effect) {
  const given = effect as Readonly<Record<string, number | string | true | undefined>>
  const [name, row] = rows.find(([name]) => given[name] !== undefined) ?? ['', undefined]
  const value = given[name]
  return { ...row, name, value: typeof value === 'string' ? durationMs(value) : Number(value) }
}

/** Returns how long to delay a request, in milliseconds of real time. */
export function latencyOf(effect: Effect): number {
  const { request, value } = readEffect(effect)
  return request?.latencyMs?.(value) ?? 0
}

/** Returns the error that replaces a request; undefined if the request is processed. */
export function replaceCall(effect: Effect): JsonResponse | undefined {
  const { request, value } = readEffect(effect)
  if (!request?.replace) return undefined
  const { status, ...broken } = request.replace(value)
  return { ...forcedError(status, 'retry_after' in effect ? effect.retry_after : undefined), ...broken }
}

/** Changes the response to an executed call. */
export function changeResponse(effect: Effect, response: JsonResponse): JsonResponse {
  const { request, value } = readEffect(effect)
  return request?.change?.(response, value) ?? response
}

/** Returns how long an effect postpones a callback, in milliseconds of the tenant's clock; undefined if it does not. */
export function postponementBy(effect: Effect): (Pick<Postponement, 'held'> & { by_ms: number }) | undefined {
  const { name, callback, value } = readEffect(effect)
  return callback?.postponeMs && { held: name as CallbackHold, by_ms: callback.postponeMs(value) }
}

/** Wraps an egress with a fault's effect. */
export function createFaultyEgress(egress: HttpEgress, { fault_id, effect }: FaultRecord): HttpEgress {
  const { callback, value } = readEffect(effect)
  return {
    async send(request) {
      const send = () => egress.send(request)
      return { ...(await (callback?.send ?? send)(send, value)), fault_id }
    },
  }
}
