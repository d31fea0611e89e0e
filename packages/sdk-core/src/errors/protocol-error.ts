import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The response is one that the service never sends, such as a redirect: most likely another server responded. Check the
 * base URL.
 * @example
 * ```ts
 * import { ProtocolError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ProtocolError.is(error)) throw error
 *   report(error.message) // another server responds at this base URL
 * }
 * ```
 */
export class ProtocolError extends LeadSdkError {
  override readonly name = 'ProtocolError'
  readonly code = 'protocol'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ProtocolError {
    return codeOf(value) === 'protocol'
  }
}
