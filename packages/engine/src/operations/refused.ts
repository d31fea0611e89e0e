import type { ErrorCode, FieldIssue } from '@lead-distribution/contract'

/** The operation did nothing. A `validation_error` lists every issue, field by field. */
export type Refused<Code extends ErrorCode = ErrorCode> =
  | { readonly status: 'refused'; readonly error: 'validation_error'; readonly issues: FieldIssue[] }
  | { readonly status: 'refused'; readonly error: Exclude<Code, 'validation_error'>; readonly issues?: never }

/** The refusal of an input whose fields are wrong. */
export function refusedFields(issues: FieldIssue[]): Refused<'validation_error'> {
  return { status: 'refused', error: 'validation_error', issues }
}
