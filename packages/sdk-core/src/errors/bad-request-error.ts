import { errorCodeDocUrl, type FieldIssue } from '@lead-distribution/contract'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The service refused the request as wrong (`400`, `404`, `422` or another `4xx`). It was not processed, and a repeat
 * gets the same response.
 * @example
 * ```ts
 * import { BadRequestError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!BadRequestError.is(error)) throw error
 *   report(error.details.map(({ field }) => field))
 * }
 * ```
 */ // Spec 7
export class BadRequestError extends LeadSdkError {
  override readonly name = 'BadRequestError'
  readonly code = 'bad_request'
  /** The service's error code, such as `validation_error`; null if the response has none. */
  readonly error: string | null
  readonly #details: readonly FieldIssue[]

  constructor(message: string, facts: ErrorFacts, error: string | null, details: readonly FieldIssue[]) {
    super(message, facts)
    this.error = error
    this.#details = details
  }

  /**
   * The service's issues, field by field. Their texts are the service's and may repeat what was sent, so a log shows
   * them only if your code reads `details` by name.
   */ // Spec 2.13
  get details(): readonly FieldIssue[] {
    return this.#details
  }

  /** The documentation page of the service's error code, or of this error if the code is missing or unknown. */
  override get docUrl(): string {
    return errorCodeDocUrl(this.error) ?? super.docUrl
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is BadRequestError {
    return codeOf(value) === 'bad_request'
  }
}
