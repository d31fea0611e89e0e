import { docUrl } from '@lead-distribution/contract'
import type { CallMeta } from '../call/call-meta.ts'

// Symbol.for, because two packages may carry two copies of this class, and then `instanceof` is false.
const brand: unique symbol = Symbol.for('@lead-distribution/sdk-error')

/** The kind of an error; one class each. */
export type LeadSdkErrorCode =
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
 * Whether the service has the request: `no`, it was not processed and may be sent again; `maybe`, it may have
 * been processed; `yes`, the service answered it.
 */
export type Sent = 'no' | 'maybe' | 'yes'

/** What every error of the SDKs carries besides its message. */
export interface ErrorFacts {
  /** Whether the service has the request. */
  sent: Sent
  /** Whether the same call may succeed later without harm. */
  retryable: boolean
  /** What is known of the call; absent where none was made. */
  meta?: CallMeta | undefined
}

/**
 * The base of every error of the SDKs. Business outcomes are returned, never thrown. No instance holds a key, a
 * token, a secret, a body or a `cause`, so that it is safe to log whole.
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
  /** The kind of the error; `switch` on it. */
  abstract readonly code: LeadSdkErrorCode
  /** Whether the service has the request. */
  readonly sent: Sent
  /** Whether the same call may succeed later without harm. */
  readonly retryable: boolean
  /** What is known of the call; absent where none was made. */
  declare readonly meta?: CallMeta // Only declared: a field would be there and be printed as undefined.

  constructor(message: string, facts: ErrorFacts) {
    super(message)
    this.sent = facts.sent
    this.retryable = facts.retryable
    if (facts.meta) this.meta = facts.meta
  }

  /** The kind, readable across copies of the package. @hidden */
  get [brand](): LeadSdkErrorCode {
    return this.code
  }

  /** The page of the documentation about this error. */
  get docUrl(): string {
    return docUrl('sdk', this.code)
  }

  /** What a structured log gets. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, docUrl: this.docUrl, ...(this as object) }
  }

  /** Whether a caught value is an error of either SDK, from any copy of the package. */
  static is(value: unknown): value is LeadSdkError {
    return codeOf(value) !== undefined
  }
}

/** The kind of a caught value, `undefined` when it is no error of the SDKs. */
export function codeOf(value: unknown): LeadSdkErrorCode | undefined {
  return typeof value === 'object' && value !== null ? (value as { [brand]?: LeadSdkErrorCode })[brand] : undefined
}
