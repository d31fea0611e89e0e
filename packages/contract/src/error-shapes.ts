import * as z from 'zod/mini'
import type { $ZodIssue, $ZodType } from 'zod/v4/core'
import { empty, issueAt, notOneOf, tooBig, tooSmall, wrongFormat, wrongType } from './validation/field-issue.ts'
import type { FieldIssue } from './wire-error.ts'

/** The shape of an issue of a field (Spec 2.13). */
export const fieldIssue = z.object({ field: z.string(), issue: z.string() })

/** The shape of the body of every error reply (Spec 2.13). */
export const errorResponse = z.object({
  error: z.string(),
  message: z.string(),
  details: z.optional(z.array(fieldIssue)),
})

/**
 * The issues of a shape as `details` of 2.13, one for each field. `input` is what the shape has parsed: it shows whether
 * a field is missing or wrong. No value of the input is repeated: it may be personal data.
 */
export function fieldIssues(issues: readonly $ZodIssue[], input: unknown): FieldIssue[] {
  const byField = new Map<string, FieldIssue>()
  for (const zodIssue of issues.flatMap(eachUnknownField)) {
    const issue = issueAt(zodIssue.path, messageOf(zodIssue), input)
    // Zod checks the length of a wrong type too, if it has one: `[]` is no string, and is too short. The first counts.
    if (!byField.has(issue.field)) byField.set(issue.field, issue)
  }
  return [...byField.values()]
}

/** An input of the right shape, defaults filled in; or everything that is wrong with it. */
export type CheckedInput =
  | { readonly value: unknown; readonly issues?: never }
  | { readonly issues: readonly $ZodIssue[] }

/** Checks an input by a shape. */
export function checkInput(shape: $ZodType, input: unknown): CheckedInput {
  const { success, data, error } = z.safeParse(shape, input)
  return success ? { value: data } : { issues: error.issues }
}

/** Zod reports all unknown fields of an object in one issue; each gets its own here. */
function eachUnknownField(issue: $ZodIssue): $ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  return issue.keys.map(key => ({ ...issue, path: [...issue.path, key] }))
}

function messageOf(issue: $ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected)
    case 'invalid_value':
      return notOneOf(issue.values.map(String))
    case 'invalid_format':
      // A format that is not the wire's brings its own message.
      return wrongFormat(issue.format) ?? issue.message
    case 'too_small':
      return issue.origin === 'string' ? empty : tooSmall(issue.minimum)
    case 'too_big':
      return issue.origin === 'string' ? `must be at most ${issue.maximum} characters long` : tooBig(issue.maximum)
    case 'unrecognized_keys':
      return 'is not known here: check its spelling, or leave it out'
    default:
      return issue.message
  }
}
