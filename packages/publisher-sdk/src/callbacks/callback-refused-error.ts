import { docUrl } from '@lead-distribution/contract'

// Symbol.for, because `instanceof` is false across two copies of this class in different packages.
const brand: unique symbol = Symbol.for('@lead-distribution/callback-refused')

/** The reason why a request was refused. Contains nothing from the request. @inline */
export type CallbackRefusal = {
  /** HTTP status of the response. */
  status: number
  /** The reason in a few words. */
  reason: string
}

/**
 * Thrown for a request that is not a trustworthy callback. Respond with `status` and nothing else, so that the sender
 * learns nothing.
 * @example
 * ```ts
 * import { CallbackRefusedError, verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * async function respondTo(request: Request) {
 *   try {
 *     await store(await verifyCallback(request, { verify: { urlSecrets: [callbackSecret] } }))
 *     return new Response()
 *   } catch (error) {
 *     if (CallbackRefusedError.is(error)) return new Response(null, { status: error.status })
 *     throw error
 *   }
 * }
 * ```
 * @category Errors
 */
export class CallbackRefusedError extends Error {
  override readonly name = 'CallbackRefusedError'
  /** HTTP status of the response: `404` for a wrong secret, `405`, `401`, `400` or `403`. */
  readonly status: number
  /** The reason in a few words, for logs. Contains nothing from the request. */
  readonly reason: string
  /** Brand that works across copies of the package. @hidden */
  get [brand](): true {
    return true
  }

  constructor({ status, reason }: CallbackRefusal) {
    super(`A callback was refused: ${reason}. Respond with ${status}.`)
    this.status = status
    this.reason = reason
  }

  /** URL of this error's documentation page. */
  get docUrl(): string {
    return docUrl('sdk', 'callback_refused')
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static is(value: unknown): value is CallbackRefusedError {
    return Object(value)[brand] === true
  }
}
