const formatWords: Readonly<Record<string, string>> = {
  uuid: 'a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  date: 'a day that exists, as YYYY-MM-DD',
  'date-time': 'a date-time with a zone, such as 2026-01-31T09:30:00Z',
  uri: 'an absolute URL, such as https://example.com/loans',
  email: 'an e-mail address, without spaces around it',
  ipv4: 'an IPv4 address, such as 203.0.113.7',
}

const typeWords: Readonly<Record<string, string>> = { int: 'an integer', array: 'an array', object: 'an object' }

/** What is said of a value of another type, such as `string` or `int`. */
export function wrongType(expected: string): string {
  return `must be ${typeWords[expected] ?? `a ${expected}`}`
}

/** What is said of a text of another format; `undefined` for a format that is not the wire's. */
export function wrongFormat(format: string): string | undefined {
  return formatWords[format] && `must be ${formatWords[format]}`
}

/** What is said of a value that is none of these words. */
export function notOneOf(words: readonly unknown[]): string {
  return `must be one of ${words.join(', ')}`
}

/** What is said of an empty text. */
export const empty = 'must not be empty'

/** What is said of a number below this bound. */
export function tooSmall(minimum: number | bigint): string {
  return `must be at least ${minimum}`
}

/** What is said of a number above this bound. */
export function tooBig(maximum: number | bigint): string {
  return `must be at most ${maximum}`
}
