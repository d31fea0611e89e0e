import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/** The service refused the API key, or the token of a postback URL (`401`, `403`; Spec 5). Nothing was processed. */
export class AuthError extends LeadSdkError {
  override readonly name = 'AuthError'
  readonly code = 'auth'

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is AuthError {
    return codeOf(value) === 'auth'
  }
}
