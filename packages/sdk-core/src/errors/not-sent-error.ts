import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The request never reached the service: the connection was refused or not established in time, the host is unknown,
 * or its certificate is not trusted. It is safe to send it again.
 * @example
 * ```ts
 * import { NotSentError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!NotSentError.is(error)) throw error
 *   await store(lead) // it may be submitted again
 * }
 * ```
 */
export class NotSentError extends LeadSdkError {
  override readonly name = 'NotSentError'
  readonly code = 'not_sent'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is NotSentError {
    return codeOf(value) === 'not_sent'
  }
}
