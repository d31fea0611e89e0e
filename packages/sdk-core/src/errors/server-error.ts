import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The service failed (`5xx`) on a call that is safe to repeat, and the retries are used up. A submission never ends this
 * way: see `OutcomeUnknownError`.
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

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ServerError {
    return codeOf(value) === 'server'
  }
}
