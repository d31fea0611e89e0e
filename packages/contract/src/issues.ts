import type { $ZodIssue } from 'zod/v4/core'
import type { FieldIssue } from './wire-error.ts'

const formatWords: Record<string, string> = {
  uuid: 'a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  date: 'a day that exists, as YYYY-MM-DD',
  'date-time': 'a date-time with a zone, such as 2026-01-31T09:30:00Z',
  uri: 'an absolute URL, such as https://example.com/loans',
  email: 'an e-mail address, without spaces around it',
  ipv4: 'an IPv4 address, such as 203.0.113.7',
}

const typeWords: Record<string, string> = { int: 'an integer', array: 'an array', object: 'an object' }

/**
 * The issues of a shape as `details` of 2.13, one a field. `input` is what was checked: an issue tells a field
 * that is missing from one that is wrong. No value of the input is repeated: it may be personal data.
 */
export function fieldIssues(issues: readonly $ZodIssue[], input: unknown): FieldIssue[] {
  const byField = new Map<string, string>()
  for (const issue of issues.flatMap(eachUnknownField)) {
    const field = issue.path.length === 0 ? 'body' : issue.path.map(String).join('.')
    // Zod checks the length of a wrong type too, if it has one: `[]` is no string, and is too short. The first counts.
    if (byField.has(field)) continue
    byField.set(field, valueAt(input, issue.path) === undefined ? 'is required' : sentenceOf(issue))
  }
  return [...byField].map(([field, issue]) => ({ field, issue }))
}

/** An issue about several unknown fields as one for each of them. */
function eachUnknownField(issue: $ZodIssue): $ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  return issue.keys.map(key => ({ ...issue, path: [...issue.path, key] }))
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key as never] : undefined,
    input,
  )
}

function sentenceOf(issue: $ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords[issue.expected] ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      // A format that is not the wire's says in its own words what it wants.
      return formatWords[issue.format] === undefined ? issue.message : `must be ${formatWords[issue.format]}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'string'
        ? `must be at most ${issue.maximum} characters long`
        : `must be at most ${issue.maximum}`
    case 'unrecognized_keys':
      return 'is not known here: check its spelling, or leave it out'
    default:
      return issue.message
  }
}
