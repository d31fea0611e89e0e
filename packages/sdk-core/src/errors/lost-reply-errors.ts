import type { CallAttempt } from '../call/call-meta.ts'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The reply was lost after the request was sent: the service may have processed it. This is no refusal. Do not repeat
 * a submission blindly: a lead that exists comes back `customer_already_exists`.
 * @example
 * ```ts
 * import { OutcomeUnknownError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!OutcomeUnknownError.is(error)) throw error
 *   await store(error.attempt) // pass it as `previousAttempt` if you submit the lead again
 * }
 * ```
 */
export class OutcomeUnknownError extends LeadSdkError {
  override readonly name = 'OutcomeUnknownError'
  readonly code = 'outcome_unknown'
  /** Names the call; pass it to the next submission as `previousAttempt`. Plain data, good to store. */
  readonly attempt: CallAttempt

  constructor(message: string, facts: ErrorFacts, attempt: CallAttempt) {
    super(message, facts)
    this.attempt = attempt
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is OutcomeUnknownError {
    return codeOf(value) === 'outcome_unknown'
  }
}

/**
 * The caller's `AbortSignal` ended the call. With `sent: 'maybe'` the request was under way: its outcome is unknown.
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
  /** Names the call; pass it to the next submission as `previousAttempt` where `sent` is `maybe`. Plain data, good to store. */
  readonly attempt: CallAttempt

  constructor(message: string, facts: ErrorFacts, attempt: CallAttempt) {
    super(message, facts)
    this.attempt = attempt
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is AbortedError {
    return codeOf(value) === 'aborted'
  }
}
