import type { FieldIssue } from '@lead-distribution/contract'
import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The client or the receiver is set up wrongly. Nothing was sent; correct the set-up.
 * @example
 * ```ts
 * import { ConfigError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ConfigError.is(error)) throw error
 *   report(error.message) // what to correct in the set-up
 * }
 * ```
 */
export class ConfigError extends LeadSdkError {
  override readonly name = 'ConfigError'
  readonly code = 'config'

  constructor(message: string) {
    super(message, { sent: 'no', retryable: false })
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ConfigError {
    return codeOf(value) === 'config'
  }
}

/** @throws ConfigError unless the condition holds. */
export function assertConfig(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ConfigError(message)
}

/**
 * The input fails the check before sending. Nothing was sent; correct the fields of `issues` (the service's own
 * `details`).
 * @example
 * ```ts
 * import { ValidationError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ValidationError.is(error)) throw error
 *   report(error.issues) // [{ field: 'product_data.loan_amount', issue: 'must be at least 500' }]
 * }
 * ```
 */ // Spec 2.13
export class ValidationError extends LeadSdkError {
  override readonly name = 'ValidationError'
  readonly code = 'validation'
  /** Field by field: what is wrong. No value is repeated. */
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super(`Nothing was sent: correct ${fieldNames(issues)}. See \`issues\`.`, { sent: 'no', retryable: false })
    this.issues = issues
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ValidationError {
    return codeOf(value) === 'validation'
  }
}

const mostNames = 5

// A reply may put anything into `field`; only paths that begin with a field of a request are repeated.
const path =
  /^(body|product_id|publisher_id|customer|product_data|consents|tracking|lead_id|status|advertiser_id|metadata|token|event|ref)(\.\w{1,40}){0,6}$/

/** The fields of some issues for a message, at most five. */
export function fieldNames(issues: readonly FieldIssue[]): string {
  const names = [...new Set(issues.map(issue => issue.field).filter(name => path.test(name)))]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${names.slice(0, mostNames).join(', ') || 'the request'}${more}`
}

/**
 * The request never reached the service: refused connection, no connection in time, unknown host, untrusted
 * certificate. It is safe to send again.
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

  /** Whether a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is NotSentError {
    return codeOf(value) === 'not_sent'
  }
}
