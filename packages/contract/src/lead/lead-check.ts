import type { Interpretation } from '../interpretation.ts'
import { issuesOf, type Rule } from '../rule.ts'
import type { FieldIssue } from '../wire-error.ts'
import { leadRule } from './lead-rule.generated.ts'

let rule: Rule | undefined

/**
 * Every issue of `POST /lead`'s body (Spec 2.1, 2.13), in the order of its fields; none where it is right. It finds
 * what the shape `leadSubmission` finds, which it is made from, without zod and without code made from text.
 */
export function checkLead(input: unknown, reading: Interpretation): FieldIssue[] {
  rule ??= leadRule()
  return issuesOf(rule, input, reading)
}
