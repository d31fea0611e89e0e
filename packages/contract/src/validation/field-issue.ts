import type { FieldIssue } from '../interfaces.generated.ts'

/**
 * Returns the issue of the field at a path. If the field is missing from the input, the issue is that it is required.
 */
export function issueAt(path: readonly PropertyKey[], issue: string, input: unknown): FieldIssue {
  const field = path.length === 0 ? 'body' : path.map(String).join('.')
  return { field, issue: valueAt(input, path) === undefined ? 'is required' : issue }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key as never] : undefined,
    input,
  )
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  date: 'an existing date, as YYYY-MM-DD',
  'date-time': 'a date-time with a time zone, such as 2026-01-31T09:30:00Z',
  uri: 'an absolute URL, such as https://example.com/loans',
  email: 'an e-mail address, without spaces around it',
  ipv4: 'an IPv4 address, such as 203.0.113.7',
}

const types: Readonly<Record<string, string>> = { int: 'an integer', array: 'an array', object: 'an object' }

/** Returns the issue of a value of another type than this one, such as `string` or `int`. */
export function wrongType(expected: string): string {
  return `must be ${types[expected] ?? `a ${expected}`}`
}

/** Returns the issue of a text in another format; undefined for a format that the wire does not have. */
export function wrongFormat(format: string): string | undefined {
  return formats[format] && `must be ${formats[format]}`
}

/** Returns the issue of a value outside an enumeration. */
export function notOneOf(values: readonly unknown[]): string {
  return `must be one of ${values.join(', ')}`
}

/** The issue of an unknown field or parameter where only known ones are accepted. */
export const unknownField = 'is unknown: check its spelling, or remove it'

/** The issue of an empty text. */
export const empty = 'must not be empty'

/** Returns the issue of a number below its minimum. */
export function tooSmall(minimum: number | bigint): string {
  return `must be at least ${minimum}`
}

/** Returns the issue of a list that exceeds its maximum length. */
export function tooMany(maximum: number | bigint): string {
  return `must contain at most ${maximum} items`
}

/** Returns the issue of a number above its maximum. */
export function tooBig(maximum: number | bigint): string {
  return `must be at most ${maximum}`
}
