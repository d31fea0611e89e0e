import type { FieldValues, LeadSubmission } from '../index.ts'

/** Some fields of a value, at any depth. A list is replaced as a whole; `undefined` removes a field. */
export type ChangesOf<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: ChangesOf<Value[Name]> | undefined }
    : Value

/**
 * The fields of a lead that a test changes.
 * @category Testing
 */
export type LeadChanges = ChangesOf<LeadSubmission>

/** Returns a copy of a lead with these changes; a change inside a missing field creates the field. */
export function withChanges(lead: LeadSubmission, changes: LeadChanges = {}): LeadSubmission {
  return merged(lead, changes) as LeadSubmission
}

/** Returns a copy of a lead with these values, by path. `undefined` removes a field. */
export function withFields(lead: LeadSubmission, fields: FieldValues): LeadSubmission {
  const changed = structuredClone(lead)
  for (const [path, value] of Object.entries(fields)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const place = names.reduce((parent: object, name, depth) => {
      const isList = /^\d+$/.test(names[depth + 1] ?? last)
      if (Reflect.get(parent, name) === undefined) Reflect.set(parent, name, isList ? [] : {})
      return Reflect.get(parent, name)
    }, changed)
    if (value === undefined) Reflect.deleteProperty(place, last)
    else Reflect.set(place, last, structuredClone(value))
  }
  return changed
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
