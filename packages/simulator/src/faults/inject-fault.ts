import { durationMs } from '@lead-distribution/contract'
import { forcedRefusal } from '@lead-distribution/contract/test-leads'
import type { JsonResponse } from '@lead-distribution/http'
import type { HttpEgress } from '../egress/guarded-egress.ts'
import type { FaultEffect, FaultRecord, Postponement } from '../storage/records.ts'

/** Returns how long a call waits before anything is done, milliseconds of real time. */
export function latencyOf(effect: FaultEffect): number {
  return 'latency_ms' in effect ? effect.latency_ms : 0
}

/** Responds to a call as the effect of a fault demands; `run` responds without a fault, if the effect lets it run. */
export async function injectFault<Response extends JsonResponse>(
  effect: FaultEffect,
  run: () => Promise<Response>,
): Promise<Response | JsonResponse> {
  if ('status' in effect) return forcedError(effect.status, 'retry_after' in effect ? effect.retry_after : undefined)
  if ('timeout' in effect) return { ...forcedError(504), broken: 'withheld' }
  if ('reset' in effect) return { ...forcedError(502), broken: 'cut' }
  const response = await run()
  if ('malformed' in effect) return { ...response, broken: 'garbled' }
  return 'lost_reply' in effect ? { ...response, broken: 'cut' } : response
}

/** An error response with a status that a fault or a scenario forces; `retry_after` in seconds. */
export function forcedError(status: number, retry_after?: number): JsonResponse {
  const headers = retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }
  return { ...forcedRefusal(status), ...headers }
}

/** The longest that a callback waits for the next one of its lead, on the tenant's clock: a minute. */
const longestReorderMs = 60_000

/** Returns by how many milliseconds of the tenant's clock an effect postpones a callback; undefined if it does not. */
export function postponementBy(effect: FaultEffect): (Pick<Postponement, 'held'> & { by_ms: number }) | undefined {
  if ('delay' in effect) return { held: 'delay', by_ms: durationMs(effect.delay) }
  return 'reorder' in effect ? { held: 'reorder', by_ms: longestReorderMs } : undefined
}

/** An egress on which a fault acts: drops the callback, responds in place of its receiver, or sends it several times. */
export function createFaultyEgress(egress: HttpEgress, { fault_id, effect }: FaultRecord): HttpEgress {
  return {
    async send(request) {
      if ('drop' in effect) return { error: 'dropped by a fault', fault_id }
      if ('status' in effect) return { status: effect.status, fault_id }
      const copies = 'duplicate' in effect ? effect.duplicate : 0
      const send = () => egress.send(request)
      // All at once: one after the other, many copies to a slow receiver outlast the lease of the callback.
      const [first] = await Promise.all([send(), ...Array.from({ length: copies }, send)])
      return { ...first, copies, fault_id }
    },
  }
}
