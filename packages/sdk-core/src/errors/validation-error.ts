import type { FieldIssue } from '@lead-distribution/contract'
import { fieldNames } from './field-names.ts'
import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/** The input fails the check before sending. Nothing was sent; correct the fields of `issues` (the service's own `details`, Spec 2.13). */
export class ValidationError extends LeadSdkError {
  override readonly name = 'ValidationError'
  readonly code = 'validation'
  /** Field by field: what is wrong. No value is repeated. */
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super(`Nothing was sent: correct ${fieldNames(issues)}. See \`issues\`.`, { sent: 'no', retryable: false })
    this.issues = issues
  }

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is ValidationError {
    return codeOf(value) === 'validation'
  }
}
