import type { FieldIssue } from './wire-error.ts'

/** A field by its path into what was checked, and what is wrong with it: a field that is missing is told as such. */
export function issueAt(path: readonly PropertyKey[], wrong: string, input: unknown): FieldIssue {
  const field = path.length === 0 ? 'body' : path.map(String).join('.')
  return { field, issue: valueAt(input, path) === undefined ? 'is required' : wrong }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key as never] : undefined,
    input,
  )
}
