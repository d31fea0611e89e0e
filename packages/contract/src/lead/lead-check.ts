import type { Interpretation } from '../interpretation.ts'
import { type FieldDescription, issuesOf, type Validator } from '../validation/validator.ts'
import type { FieldIssue } from '../wire-error.ts'
import { leadValidator } from './lead-validator.generated.ts'

export type { FieldDescription, TextFormat } from '../validation/validator.ts'

let created: Validator | undefined

// On first use: importing the package stays cheap.
function validator(): Validator {
  created ??= leadValidator()
  return created
}

/**
 * Every issue of `POST /lead`'s body (Spec 2.1, 2.13), in the order of its fields; none where the body is valid. It finds
 * the issues that the shape `leadSubmission` finds, from which it is generated, without zod and without `eval`.
 */
export function checkLead(input: unknown, interpretation: Interpretation): FieldIssue[] {
  return issuesOf(validator(), input, interpretation)
}

/** The fields of `POST /lead`'s body (Spec 2.1), generated from the same shape: what each takes, without zod. */
export function leadFields(): FieldDescription {
  return validator().describes
}
