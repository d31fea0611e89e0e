import type { FieldIssue } from '../interfaces.generated.ts'
import { type Validator, validatorOf } from '../validation/validator.ts'
import { leadFields } from './lead-fields.generated.ts'
import type { Interpretation } from './limits.ts'

let validator: Validator | undefined

/**
 * Finds every issue in the body of `POST /lead`, in field order; none if the body is valid. The issues are the same as
 * those of the shape `leadSubmission`.
 */ // Spec 2.1, 2.13
export function checkLead(input: unknown, interpretation: Interpretation): FieldIssue[] {
  // Built on first use, so that importing the package stays cheap.
  validator ??= validatorOf(leadFields)
  return validator(input, interpretation)
}
