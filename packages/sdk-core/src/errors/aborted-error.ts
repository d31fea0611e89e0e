import type { CallAttempt } from '../call/call.ts'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/**
 * Your `AbortSignal` ended the call. With `sent: 'maybe'` the request was in flight, and its outcome is unknown.
 * @example
 * ```ts
 * import { AbortedError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead, { signal: AbortSignal.timeout(2000) })
 * } catch (error) {
 *   if (!AbortedError.is(error)) throw error
 *   if (error.sent === 'maybe') await store(error.attempt) // the lead may exist
 * }
 * ```
 */
export class AbortedError extends LeadSdkError {
  override readonly name = 'AbortedError'
  readonly code = 'aborted'
  /**
   * Identifies the call; if `sent` is `maybe`, pass it to the next submission as `previousAttempt`. Plain data that you
   * can store.
   */
  readonly attempt: CallAttempt

  constructor(message: string, facts: ErrorFacts, attempt: CallAttempt) {
    super(message, facts)
    this.attempt = attempt
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is AbortedError {
    return codeOf(value) === 'aborted'
  }
}
