import type { CallAttempt } from '../call/call-attempt.ts'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/** The caller's `AbortSignal` ended the call. With `sent: 'maybe'` the request was under way: its outcome is unknown. */
export class AbortedError extends LeadSdkError {
  override readonly name = 'AbortedError'
  readonly code = 'aborted'
  /** Names the call; hand it to the next submission as `after` where `sent` is `maybe`. */
  readonly attempt: CallAttempt

  constructor(message: string, facts: ErrorFacts, attempt: CallAttempt) {
    super(message, facts)
    this.attempt = attempt
  }

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is AbortedError {
    return codeOf(value) === 'aborted'
  }
}
