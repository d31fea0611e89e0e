import type { CallAttempt } from '../call/call.ts'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The reply was lost after the request was sent: the service may have processed it. This is not a rejection. Don't retry
 * a submission blindly: if the lead exists, the service rejects the repeat as `customer_already_exists`.
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
  /** Identifies the call; pass it to the next submission as `previousAttempt`. Plain data that you can store. */
  readonly attempt: CallAttempt

  constructor(message: string, facts: ErrorFacts, attempt: CallAttempt) {
    super(message, facts)
    this.attempt = attempt
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is OutcomeUnknownError {
    return codeOf(value) === 'outcome_unknown'
  }
}
