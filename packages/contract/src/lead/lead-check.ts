import type { FieldIssue } from '../interfaces.generated.ts'
import { type Validator, validatorOf } from '../validation/validator.ts'
import { leadFields } from './lead-fields.generated.ts'
import type { Interpretation } from './limits.ts'

let validator: Validator | undefined

/**
 * Finds every issue of `POST /lead`'s body, in the order of its fields; none where the body is valid. The issues are
 * those that the shape `leadSubmission` finds.
 */ // Spec 2.1, 2.13
export function checkLead(input: unknown, interpretation: Interpretation): FieldIssue[] {
  // On first use: importing the package stays cheap.
  validator ??= validatorOf(leadFields)
  return validator(input, interpretation)
}
