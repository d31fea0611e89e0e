import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The service asked you to slow down (`429`), and the retries are used up. Nothing was processed.
 * @example
 * ```ts
 * import { RateLimitError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!RateLimitError.is(error)) throw error
 *   await pause(error.retryAfterMs ?? 60_000)
 * }
 * ```
 */
export class RateLimitError extends LeadSdkError {
  override readonly name = 'RateLimitError'
  readonly code = 'rate_limit'
  /** The delay that the service asks for, milliseconds, at most 2147483647; null if the response doesn't say. */
  readonly retryAfterMs: number | null

  constructor(message: string, facts: ErrorFacts, retryAfterMs: number | null) {
    super(message, facts)
    this.retryAfterMs = retryAfterMs
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is RateLimitError {
    return codeOf(value) === 'rate_limit'
  }
}
