import * as z from 'zod/mini'
import type { $ZodIssue, $ZodType } from 'zod/v4/core'
import type { FieldIssue } from './interfaces.generated.ts'
import {
  empty,
  issueAt,
  notOneOf,
  tooBig,
  tooMany,
  tooSmall,
  unknownField,
  wrongFormat,
  wrongType,
} from './validation/field-issue.ts'
import { IssueList } from './wire-error.ts'

// `npm run generate` makes from these shapes and comments what `lead/lead.ts` names.

/** An issue of a field. */ // Spec 2.13
export const fieldIssue = z.object({
  /** A dotted path, such as `consents.entries.0.accepted_at`; `body` for the body as a whole. */
  field: z.string(),
  /** The requirement that the value does not meet. */
  issue: z.string(),
})

/** The body of every error response. */ // Spec 2.13
export const errorResponse = z.object({
  /** Error code. */
  error: z.string(),
  /** The problem and its solution, for people. */
  message: z.string(),
  /** The issues of each field, at most 100; if there are more, the last one counts them. Only in a `400`. */
  details: z.optional(z.array(fieldIssue)),
})

/**
 * Returns the issues of a shape as `details` of 2.13, one for each field, as {@link IssueList} lists them. `input` is
 * the value that the shape has parsed: it shows if a field is missing or wrong. No value of the input is repeated: it
 * may be personal data.
 */
export function fieldIssues(issues: readonly $ZodIssue[], input: unknown): FieldIssue[] {
  const list = new IssueList()
  let last: $ZodIssue['path'] | undefined
  for (const issue of issues) {
    const { path } = issue
    // Zod reports all unknown fields of an object in one issue; each gets its own here.
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) list.add(() => issueAt([...path, key], unknownField, input))
      continue
    }
    // Zod also checks the length of a value of a wrong type: `[]` is not a string, and is too short. The first counts.
    if (!isSame(path, last)) list.add(() => issueAt(path, messageOf(issue), input))
    last = path
  }
  return list.list()
}

function isSame(path: $ZodIssue['path'], other: $ZodIssue['path'] | undefined): boolean {
  return path.length === other?.length && path.every((key, index) => key === other[index])
}

/** An input of the right shape, with its defaults filled in; or everything that is wrong with it. */
export type CheckedInput =
  | { readonly value: unknown; readonly issues?: never }
  | { readonly value?: never; readonly issues: readonly $ZodIssue[] }

/** Validates an input by a shape. */
export function checkInput(shape: $ZodType, input: unknown): CheckedInput {
  const { success, data, error } = z.safeParse(shape, input)
  return success ? { value: data } : { issues: error.issues }
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
      if (issue.origin === 'array') return tooMany(issue.maximum)
      return issue.origin === 'string' ? `must be at most ${issue.maximum} characters long` : tooBig(issue.maximum)
    default:
      return issue.message
  }
}
