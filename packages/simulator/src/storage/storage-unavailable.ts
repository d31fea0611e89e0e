import type { Clock } from '@lead-distribution/engine'
import type { Layer, Refusal } from '@lead-distribution/http'

/** The storage is temporarily unavailable. The message says what is wrong and what to do. */
export class StorageUnavailable extends Error {}

/** The tenant was deleted during the call, perhaps by another process. */
export class TenantGone extends StorageUnavailable {}

/** Another process changed the tenant before this transaction, or this process lost its lease on the tenant. */
export class TenantChanged extends StorageUnavailable {
  constructor(cause?: unknown) {
    super('Another process changed the tenant in the meantime. Retry the request.', { cause })
  }
}

/** The sandbox is closing, or the tenant was deleted, while a call waited for its jobs. Expected, and not logged. */
export class Stopping extends StorageUnavailable {
  constructor() {
    super('The sandbox is closing, or the tenant was deleted.')
  }
}

/** The number of seconds after which a caller may retry. */
const retryAfterSeconds = 5

/** The status of a response to a call that was not processed because the storage was unavailable. */
export const unavailableStatus = 503

const refusal: Refusal = {
  status: unavailableStatus,
  headers: { 'retry-after': String(retryAfterSeconds) },
  notDone: true,
  body: {
    error: 'service_unavailable',
    message:
      'Not processed: the sandbox cannot write to its storage right now. GET /_sandbox/health says why. Retry later.',
  },
}

/** Returns the response to a storage failure; undefined for any other error. */
export function unavailable(error: unknown): Refusal | undefined {
  return error instanceof StorageUnavailable ? refusal : undefined
}

/** Creates the layer that turns storage failures into responses, and reports the reason. */
export function refuseUnavailable(onError: (error: unknown) => void): Layer {
  return async (_call, next) => {
    try {
      return await next()
    } catch (error) {
      const refused = unavailable(error)
      if (!refused) throw error
      onError(error)
      return refused
    }
  }
}

/** Reports each storage problem once a minute: while the disk is full, every call reports the same one. */
export function onceAMinute(report: (error: unknown) => void, clock: Clock): (error: unknown) => void {
  const reported = new Map<string, number>()
  return error => {
    if (error instanceof Stopping) return
    if (error instanceof StorageUnavailable) {
      if (clock.now() - (reported.get(error.message) ?? -Infinity) < 60_000) return
      reported.set(error.message, clock.now())
    }
    report(error)
  }
}
