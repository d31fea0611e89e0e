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

// From these shapes and comments, `npm run generate` makes the files that `lead/lead.ts` lists.

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
  /** The problem and its solution, for a human reader. */
  message: z.string(),
  /**
   * One issue per field, at most 100; if there are more, the last one gives the number of the others. Only in a `400`.
   */
  details: z.optional(z.array(fieldIssue)),
})

/**
 * Returns a shape's issues as `details` of 2.13, one per field, as {@link IssueList} lists them. `input` is the parsed
 * value: it shows whether a field is missing or invalid. Issues never repeat a value of the input, which may be
 * personal data.
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
    // Zod also checks the length of a value of the wrong type: `[]` is not a string, and is too short. Only the first
    // issue counts.
    if (!isSame(path, last)) list.add(() => issueAt(path, messageOf(issue), input))
    last = path
  }
  return list.list()
}

function isSame(path: $ZodIssue['path'], other: $ZodIssue['path'] | undefined): boolean {
  return path.length === other?.length && path.every((key, index) => key === other[index])
}

/** A valid input with its defaults filled in, or everything that is wrong with it. */
export type CheckedInput =
  | { readonly value: unknown; readonly issues?: never }
  | { readonly value?: never; readonly issues: readonly $ZodIssue[] }

/** Validates an input against a shape. */
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
      // A format that the wire doesn't have provides its own message.
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
