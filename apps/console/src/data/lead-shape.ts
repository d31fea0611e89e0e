import { type FieldDescription, leadFields } from '@lead-distribution/contract'
import { fieldNotes } from '@lead-distribution/contract/field-notes'

/** A field of a lead: the values that it accepts, and its meaning. */
export interface LeadField {
  readonly name: string
  readonly accepts: FieldDescription
  /** Its meaning, unit, bounds and default. */
  readonly note: string
}

/** Returns the fields of the object at a path, such as `['customer', 'profile']`; none if there is no object. */
export function fieldsAt(path: readonly string[]): readonly LeadField[] {
  const { fields } = descriptionAt(path) ?? {}
  if (!fields) return []
  const names = Object.keys(fields)
  // An object's description doesn't name its interface: their fields are the same.
  const notes = Object.values(fieldNotes).find(({ fields: noted }) => Object.keys(noted).join() === names.join())
  return Object.entries(fields).map(([name, accepts]) => ({
    name,
    accepts,
    note: new Map<string, string>(Object.entries(notes?.fields ?? {})).get(name) ?? '',
  }))
}

/** Returns the field at a path. The items of a list have its field's meaning. */
export function fieldAt(path: readonly string[]): LeadField | undefined {
  const isItem = /^\d+$/.test(path.at(-1) ?? '')
  if (isItem) return fieldAt(path.slice(0, -1))
  return fieldsAt(path.slice(0, -1)).find(({ name }) => name === path.at(-1))
}

function descriptionAt(path: readonly string[]): FieldDescription | undefined {
  let found: FieldDescription | undefined = leadFields
  for (const name of path) found = /^\d+$/.test(name) ? found?.items : found?.fields?.[name]
  return found
}

/** Describes the values that a field accepts in a word: `integer, required`. */
export function formatAccepts({ type, format, optional, nullable }: FieldDescription): string {
  return [format?.name ?? type, nullable && 'or null', optional !== true && 'required'].filter(Boolean).join(', ')
}
