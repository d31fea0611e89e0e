import type { JsonResponse } from '@lead-distribution/http'
import { forcedRefusal } from '@lead-distribution/test-leads/scenarios'
import type { FaultEffect } from './fault-record.ts'

/** How long a call waits before anything is done, milliseconds of real time. */
export function latencyOf(effect: FaultEffect): number {
  return 'latency_ms' in effect ? effect.latency_ms : 0
}

/** Answers a call as the effect of a fault has it. `run` answers it undisturbed; whether it runs tells the effect. */
export async function disturbCall(effect: FaultEffect, run: () => Promise<JsonResponse>): Promise<JsonResponse> {
  if ('status' in effect) return statusReply(effect.status, 'retry_after' in effect ? effect.retry_after : undefined)
  if ('timeout' in effect) return { ...statusReply(504), broken: 'withheld' }
  if ('reset' in effect) return { ...statusReply(502), broken: 'cut' }
  const reply = await run()
  if ('malformed' in effect) return { ...reply, broken: 'garbled' }
  return 'lost_reply' in effect ? { ...reply, broken: 'cut' } : reply
}

/** A refusal with a status that somebody ordered; `retry_after` in seconds. */
export function statusReply(status: number, retry_after?: number): JsonResponse {
  const headers = retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }
  return { ...forcedRefusal(status), ...headers }
}
