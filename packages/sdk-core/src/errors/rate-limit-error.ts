import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/** The service asks to slow down (`429`), and the retries are used up. Nothing was processed. */
export class RateLimitError extends LeadSdkError {
  override readonly name = 'RateLimitError'
  readonly code = 'rate_limit'
  /** How long the service asks to wait, milliseconds, at most 2147483647; null where it did not say. */
  readonly retryAfterMs: number | null

  constructor(message: string, facts: ErrorFacts, retryAfterMs: number | null) {
    super(message, facts)
    this.retryAfterMs = retryAfterMs
  }

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is RateLimitError {
    return codeOf(value) === 'rate_limit'
  }
}
