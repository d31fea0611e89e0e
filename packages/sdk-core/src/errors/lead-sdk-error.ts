import { docUrl } from '@lead-distribution/contract'
import type { CallMeta } from '../call/call.ts'

// Symbol.for, because two packages may carry two copies of this class, and then `instanceof` is false.
const brand: unique symbol = Symbol.for('@lead-distribution/sdk-error')

/** The facts that every error of the SDKs carries besides its message. */
export interface ErrorFacts {
  sent: LeadSdkError['sent']
  retryable: boolean
  meta?: CallMeta | undefined
}

/**
 * The base of every error of the SDKs. Rejections are returned, never thrown. No error holds a key, a token, a secret, a
 * body or a `cause`, so it is safe to log an error as a whole.
 * @example
 * ```ts
 * import { LeadSdkError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!LeadSdkError.is(error)) throw error
 *   report({ code: error.code, sent: error.sent, retryable: error.retryable })
 * }
 * ```
 */
export abstract class LeadSdkError extends Error {
  /** The kind of the error, one for each class; `switch` on it. */
  abstract readonly code:
    | 'config'
    | 'validation'
    | 'bad_request'
    | 'auth'
    | 'rate_limit'
    | 'server'
    | 'not_sent'
    | 'outcome_unknown'
    | 'aborted'
    | 'protocol'
  /**
   * The request's progress. `no`: it was not processed, and you may send it again. `maybe`: it may have been processed.
   * `yes`: the service responded to it.
   */
  readonly sent: 'no' | 'maybe' | 'yes'
  /** True if the same call may succeed later and a repeat does no harm. */
  readonly retryable: boolean
  /** The facts of the call; absent if no call was made. */
  declare readonly meta?: CallMeta // Only declared: a field would be there and be printed as undefined.

  constructor(message: string, facts: ErrorFacts) {
    super(message)
    this.sent = facts.sent
    this.retryable = facts.retryable
    if (facts.meta) this.meta = facts.meta
  }

  /** The kind, readable across copies of the package. @hidden */
  get [brand](): LeadSdkError['code'] {
    return this.code
  }

  /** The documentation page of this error. */
  get docUrl(): string {
    return docUrl('sdk', this.code)
  }

  /** Returns what a structured log prints. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, docUrl: this.docUrl, ...(this as object) }
  }

  /** Returns true if a caught value is an error of either SDK, from any copy of the package. */
  static is(value: unknown): value is LeadSdkError {
    return codeOf(value) !== undefined
  }
}

/** Returns the kind of a caught value; undefined if it is not an error of the SDKs. */
export function codeOf(value: unknown): LeadSdkError['code'] | undefined {
  return typeof value === 'object' && value !== null ? (value as { [brand]?: LeadSdkError['code'] })[brand] : undefined
}
