import { type ErrorCode, errorStatus, type FieldIssue } from '@lead-distribution/contract'
import type { CallReply } from '@lead-distribution/http'
import type { FaultEffect } from './fault-record.ts'

/** How long a call waits before anything is done, milliseconds of real time. */
export function latencyOf(effect: FaultEffect): number {
  return 'latency_ms' in effect ? effect.latency_ms : 0
}

/** Answers a call as the effect of a fault has it. `run` answers it undisturbed; whether it runs tells the effect. */
export async function disturbCall(effect: FaultEffect, run: () => Promise<CallReply>): Promise<CallReply> {
  if ('status' in effect) return statusReply(effect.status, 'retry_after' in effect ? effect.retry_after : undefined)
  if ('timeout' in effect) return { ...statusReply(504), broken: 'withheld' }
  if ('reset' in effect) return { ...statusReply(502), broken: 'cut' }
  const reply = await run()
  if ('malformed' in effect) return { ...reply, broken: 'garbled' }
  return 'lost_reply' in effect ? { ...reply, broken: 'cut' } : reply
}

/** A refusal with a status that somebody ordered, in the shape of 2.13 and with the service's own code where it has one. */
export function statusReply(status: number, retry_after?: number): CallReply {
  const code = Object.keys(errorStatus).find(name => errorStatus[name as ErrorCode] === status)
  const error = code ?? foreignCodes[status] ?? `http_${status}`
  const details: FieldIssue[] = [{ field: 'body', issue: 'is refused on purpose' }]
  return {
    status,
    body: { error, message: onPurpose, ...(status === 400 && { details }) },
    ...(retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }),
  }
}

const onPurpose = 'Answered on purpose: a fault or a scenario was set for this call. Clear it, or send it again.'

/** What statuses that the service itself never answers are called. */
const foreignCodes: Readonly<Record<number, string>> = {
  403: 'forbidden',
  408: 'request_timeout',
  409: 'conflict',
  429: 'too_many_requests',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
}
