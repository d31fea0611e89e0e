import type { Interpretation } from '../interpretation.ts'
import { issuesOf, type Validator } from '../validation/validator.ts'
import type { FieldIssue } from '../wire-error.ts'
import { leadValidator } from './lead-validator.generated.ts'

let validator: Validator | undefined

/**
 * Every issue of `POST /lead`'s body, in the order of its fields; none where the body is valid. It finds
 * the issues that the shape `leadSubmission` finds, from which it is generated, without zod and without `eval`.
 */ // Spec 2.1, 2.13
export function checkLead(input: unknown, interpretation: Interpretation): FieldIssue[] {
  // On first use: importing the package stays cheap.
  validator ??= leadValidator()
  return issuesOf(validator, input, interpretation)
}
