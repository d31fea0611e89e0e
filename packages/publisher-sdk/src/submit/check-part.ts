import type { FieldIssue, LeadSubmission } from '@lead-distribution/contract'
import { ValidationError } from '@lead-distribution/sdk-core/errors'
import { validateLead } from './validate-lead.ts'

/** Checks one part of a lead as the service does. `more` is what else is wrong with it. @throws ValidationError */
export function checkPart(
  part: Pick<LeadSubmission, 'consents'> | Pick<LeadSubmission, 'tracking'>,
  more: readonly FieldIssue[] = [],
): void {
  const [name] = Object.keys(part)
  const issues = (validateLead(part).issues ?? []).filter(({ field }) => field.split('.')[0] === name)
  if (issues.length + more.length > 0) throw new ValidationError([...issues, ...more])
}
