import type { LeadSubmission } from '@lead-distribution/contract'

/** Some of the fields of a value, at any depth. A list is replaced as a whole; `undefined` takes a field away. */
export type ChangesOf<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: ChangesOf<Value[Name]> | undefined }
    : Value

/** What a test changes of a lead. */
export type LeadChanges = ChangesOf<LeadSubmission>

/** A copy of a lead with these changes; what is changed inside of a field that is not there makes the field. */
export function withChanges(lead: LeadSubmission, changes: LeadChanges = {}): LeadSubmission {
  return merged(lead, changes) as LeadSubmission
}

function merged(value: unknown, changes: unknown): unknown {
  if (!isRecord(changes)) return structuredClone(changes)
  const result: Record<string, unknown> = isRecord(value) ? structuredClone(value) : {}
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) delete result[name]
    else result[name] = merged(result[name], change)
  }
  return result
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
