import type { FieldIssue } from '@lead-distribution/contract'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/** The service refused the request as wrong (`400`, `404`, `422` and other `4xx`; Spec 7). It was not processed, and a repeat gets the same reply. */
export class BadRequestError extends LeadSdkError {
  override readonly name = 'BadRequestError'
  readonly code = 'bad_request'
  /** The service's error code, such as `validation_error`; null where the reply showed none. */
  readonly error: string | null
  readonly #details: readonly FieldIssue[]

  constructor(message: string, facts: ErrorFacts, error: string | null, details: readonly FieldIssue[]) {
    super(message, facts)
    this.error = error
    this.#details = details
  }

  /**
   * The service's field-by-field issues (Spec 2.13). They are the service's words, which may repeat what was sent:
   * no log shows them unless they are asked for by name.
   */
  get details(): readonly FieldIssue[] {
    return this.#details
  }

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is BadRequestError {
    return codeOf(value) === 'bad_request'
  }
}
