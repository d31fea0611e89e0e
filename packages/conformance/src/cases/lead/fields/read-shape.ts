import { type FieldDescription, proseInterpretation } from '@lead-distribution/contract'
import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'

/** What a field accepts. */
export type FieldKind =
  | 'object'
  | 'list'
  | 'text'
  | 'filled_text'
  | 'integer'
  | 'boolean'
  | 'enum'
  | 'uuid'
  | 'date'
  | 'date-time'
  | 'uri'
  | 'email'
  | 'ipv4'

/** One field of a submission. */
export interface ShapeField {
  /** The dotted path in the body; an item of a list has a number. */
  readonly path: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly isNullable: boolean
  /** The values of an enumeration. */
  readonly values?: readonly string[]
  /** The bounds of an integer, both inclusive. */
  readonly min?: number
  readonly max?: number
}

/** The item of a list whose fields the cases change: the items before it make the body valid. */
const itemOf: Readonly<Record<string, number>> = { 'consents.entries': 2 }

/** Every field of a submission under the prose interpretation, parents before children. */
export function fieldsOfSubmission(): ShapeField[] {
  return fieldsBelow(describeShape(leadSubmission(proseInterpretation)), '')
}

function fieldsBelow({ fields = {} }: FieldDescription, parent: string): ShapeField[] {
  return Object.entries(fields).flatMap(([name, field]) => fieldAt(field, parent === '' ? name : `${parent}.${name}`))
}

function fieldAt(description: FieldDescription, path: string): ShapeField[] {
  const { type, optional, nullable, items, min, max, values } = description
  const field: ShapeField = {
    ...{ path, kind: kindOf(description), isRequired: !optional, isNullable: nullable === true },
    ...(values && { values }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  }
  if (type === 'object') return [field, ...fieldsBelow(description, path)]
  if (!items) return [field]
  const item: ShapeField = { ...field, path: `${path}.${itemOf[path] ?? 0}`, kind: 'object', isRequired: false }
  return [field, item, ...fieldsBelow(items, item.path)]
}

function kindOf({ type, filled, format }: FieldDescription): FieldKind {
  if (type === 'enum') return 'enum'
  if (type === 'text') return (format?.name as FieldKind | undefined) ?? (filled ? 'filled_text' : 'text')
  return type
}
