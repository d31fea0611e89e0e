import { docUrl } from '@lead-distribution/contract'

// Symbol.for, because two packages may carry two copies of this class, and then `instanceof` is false.
const brand: unique symbol = Symbol.for('@lead-distribution/callback-refused')

/** The reason why a request was refused. Holds nothing of the request. @inline */
export type CallbackRefusal = {
  /** HTTP status of the response. */
  status: number
  /** The reason, in a few words. */
  reason: string
}

/**
 * The request is not a callback that you can trust. Respond with `status` and nothing else: the sender should learn
 * nothing.
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
  /** The reason, in a few words, for logs. Holds nothing of the request. */
  readonly reason: string
  /** Readable across copies of the package. @hidden */
  get [brand](): true {
    return true
  }

  constructor({ status, reason }: CallbackRefusal) {
    super(`A callback was refused: ${reason}. Respond with ${status}.`)
    this.status = status
    this.reason = reason
  }

  /** The documentation page of this error. */
  get docUrl(): string {
    return docUrl('sdk', 'callback_refused')
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static is(value: unknown): value is CallbackRefusedError {
    return Object(value)[brand] === true
  }
}
