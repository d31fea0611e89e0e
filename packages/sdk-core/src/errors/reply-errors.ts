import { docUrl, errorStatus, type FieldIssue } from '@lead-distribution/contract'
import { codeOf, type ErrorFacts, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The service refused the request as wrong (`400`, `404`, `422` and other `4xx`). It was not processed, and a repeat
 * gets the same reply.
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
  /** The service's error code, such as `validation_error`; null where the reply showed none. */
  readonly error: string | null
  readonly #details: readonly FieldIssue[]

  constructor(message: string, facts: ErrorFacts, error: string | null, details: readonly FieldIssue[]) {
    super(message, facts)
    this.error = error
    this.#details = details
  }

  /**
   * The service's field-by-field issues. They are the service's texts, which may repeat what was sent:
   * a log shows them only where code reads `details` by name.
   */ // Spec 2.13
  get details(): readonly FieldIssue[] {
    return this.#details
  }

  /** The page about the service's error code; where the reply showed none that is known, the page about this error. */
  override get docUrl(): string {
    return Object.hasOwn(errorStatus, this.error ?? '') ? docUrl('service', this.error ?? '') : super.docUrl
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is BadRequestError {
    return codeOf(value) === 'bad_request'
  }
}

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
 *   report('Check LEAD_PUBLISHER_API_KEY, and whether it belongs to this environment.')
 * }
 * ```
 */ // Spec 5
export class AuthError extends LeadSdkError {
  override readonly name = 'AuthError'
  readonly code = 'auth'

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is AuthError {
    return codeOf(value) === 'auth'
  }
}

/**
 * The service asks to slow down (`429`), and the retries are used up. Nothing was processed.
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
  /** How long the service asks to wait, milliseconds, at most 2147483647; null where the reply named none. */
  readonly retryAfterMs: number | null

  constructor(message: string, facts: ErrorFacts, retryAfterMs: number | null) {
    super(message, facts)
    this.retryAfterMs = retryAfterMs
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is RateLimitError {
    return codeOf(value) === 'rate_limit'
  }
}

/**
 * The service failed (`5xx`) on a call whose repeat does no harm, and the retries are used up. A submission never ends
 * so: see `OutcomeUnknownError`.
 * @example
 * ```ts
 * import { ServerError } from '@lead-distribution/advertiser-sdk'
 *
 * try {
 *   await advertiser.reportStatus(lead_id, { status: 'approved' })
 * } catch (error) {
 *   if (!ServerError.is(error)) throw error
 *   await store({ lead_id, status: 'approved' }) // report it later
 * }
 * ```
 */
export class ServerError extends LeadSdkError {
  override readonly name = 'ServerError'
  readonly code = 'server'

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ServerError {
    return codeOf(value) === 'server'
  }
}

/**
 * The specification knows no such reply, such as a redirect: most likely another server answered. Check the base URL.
 * @example
 * ```ts
 * import { ProtocolError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ProtocolError.is(error)) throw error
 *   report(error.message) // another server answers at this base URL
 * }
 * ```
 */
export class ProtocolError extends LeadSdkError {
  override readonly name = 'ProtocolError'
  readonly code = 'protocol'

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ProtocolError {
    return codeOf(value) === 'protocol'
  }
}
