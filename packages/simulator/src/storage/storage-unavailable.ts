import type { Clock } from '@lead-distribution/engine'
import type { Layer, Refusal } from '@lead-distribution/http'

/** The storage cannot store anything just now; the message says what is wrong and what to do. */
export class StorageUnavailable extends Error {}

/** The tenant was deleted during the call, perhaps by another process. */
export class TenantGone extends StorageUnavailable {}

/** Another process changed the tenant before this transaction, or took over what this one was doing with it alone. */
export class TenantChanged extends StorageUnavailable {
  constructor(cause?: unknown) {
    super('Another process changed the tenant meanwhile. Send the request again.', { cause })
  }
}

/** The sandbox is closing, or the tenant was deleted, while a call waited for what it had begun: expected, and not logged. */
export class Stopping extends StorageUnavailable {
  constructor() {
    super('The sandbox is closing, or the tenant was deleted.')
  }
}

/** After how many seconds a caller may try again. */
const retryAfterSeconds = 5

/** The status of a response that says that nothing was done, because the storage was unavailable. */
export const unavailableStatus = 503

const refusal: Refusal = {
  status: unavailableStatus,
  headers: { 'retry-after': String(retryAfterSeconds) },
  notDone: true,
  body: {
    error: 'service_unavailable',
    message:
      'Not done: the sandbox cannot store anything just now. GET /_sandbox/health says why; send it again later.',
  },
}

/** Returns the refusal of a call that the storage failed; undefined for any other error. */
export function unavailable(error: unknown): Refusal | undefined {
  return error instanceof StorageUnavailable ? refusal : undefined
}

/** Creates the layer that refuses a call that the storage failed, and reports why. */
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

/** Reports each problem of the storage once a minute: while the disk is full, every call has the same. */
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
