import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The service refused the API key, or the token of a postback URL (`401`, `403`). Nothing was processed.
 * @example
 * ```ts
 * import { AuthError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!AuthError.is(error)) throw error
 *   report('Check LEAD_PUBLISHER_API_KEY, and that it belongs to this environment.')
 * }
 * ```
 */ // Spec 5
export class AuthError extends LeadSdkError {
  override readonly name = 'AuthError'
  readonly code = 'auth'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is AuthError {
    return codeOf(value) === 'auth'
  }
}
