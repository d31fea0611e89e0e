import type { FieldIssue } from '@lead-distribution/contract'
import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * The input failed the check before sending. Nothing was sent. Correct the fields named in `issues`; the service would
 * report the same issues in its `details`.
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
  /** The issues, field by field. They repeat no value. */
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super(`Nothing was sent: correct ${fieldNames(issues)}. See \`issues\`.`, { sent: 'no', retryable: false })
    this.issues = issues
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ValidationError {
    return codeOf(value) === 'validation'
  }
}

const mostNames = 5

// A response may put anything into `field`; only paths that begin with a field of a request are repeated.
const path =
  /^(body|product_id|publisher_id|customer|product_data|consents|tracking|lead_id|status|advertiser_id|metadata|token|event|ref)(\.\w{1,40}){0,6}$/

/** Lists the fields of some issues for a message, at most five by name. */
export function fieldNames(issues: readonly FieldIssue[]): string {
  const names = [...new Set(issues.map(issue => issue.field).filter(name => path.test(name)))]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${names.slice(0, mostNames).join(', ') || 'the request'}${more}`
}
