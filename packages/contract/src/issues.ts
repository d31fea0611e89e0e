import * as z from 'zod/mini'
import type { $ZodIssue, $ZodType } from 'zod/v4/core'
import { issueAt } from './issue-at.ts'
import * as words from './issue-words.ts'
import type { FieldIssue } from './wire-error.ts'

/**
 * The issues of a shape as `details` of 2.13, one a field. `input` is what was checked: an issue tells a field
 * that is missing from one that is wrong. No value of the input is repeated: it may be personal data.
 */
export function fieldIssues(issues: readonly $ZodIssue[], input: unknown): FieldIssue[] {
  const byField = new Map<string, FieldIssue>()
  for (const issue of issues.flatMap(eachUnknownField)) {
    const told = issueAt(issue.path, sentenceOf(issue), input)
    // Zod checks the length of a wrong type too, if it has one: `[]` is no string, and is too short. The first counts.
    if (!byField.has(told.field)) byField.set(told.field, told)
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

/** An issue about several unknown fields as one for each of them. */
function eachUnknownField(issue: $ZodIssue): $ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  return issue.keys.map(key => ({ ...issue, path: [...issue.path, key] }))
}

function sentenceOf(issue: $ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return words.wrongType(issue.expected)
    case 'invalid_value':
      return words.notOneOf(issue.values.map(String))
    case 'invalid_format':
      // A format that is not the wire's says in its own words what it wants.
      return words.wrongFormat(issue.format) ?? issue.message
    case 'too_small':
      return issue.origin === 'string' ? words.empty : words.tooSmall(issue.minimum)
    case 'too_big':
      return issue.origin === 'string'
        ? `must be at most ${issue.maximum} characters long`
        : words.tooBig(issue.maximum)
    case 'unrecognized_keys':
      return 'is not known here: check its spelling, or leave it out'
    default:
      return issue.message
  }
}
