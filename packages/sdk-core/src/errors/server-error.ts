import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/** The service failed (`5xx`) on a call whose repeat does no harm, and the retries are used up. A submission never ends so: see `OutcomeUnknownError`. */
export class ServerError extends LeadSdkError {
  override readonly name = 'ServerError'
  readonly code = 'server'

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is ServerError {
    return codeOf(value) === 'server'
  }
}
