import { type FieldDescription, proseInterpretation } from '@lead-distribution/contract'
import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'
import { expectFieldRefused, expectLead } from '../../../expectations.ts'
import { Mismatch } from '../../../mismatch.ts'
import type { Target, TargetResponse } from '../../../target.ts'
import { everyObject } from '../full-lead.ts'

/**
 * What a kind of field takes and refuses. `wrong` is against the specification by any interpretation; `strict` is wrong where
 * nothing is coerced and formats are taken to the letter, as we read it.
 */
export interface FieldValues {
  readonly right: readonly unknown[]
  readonly wrong: readonly unknown[]
  readonly strict: readonly unknown[]
}

const moment = '2026-01-31T09:30:00Z'

const valuesOf: Readonly<Record<Exclude<ShapeField['kind'], 'integer' | 'enum'>, FieldValues>> = {
  object: { right: [], wrong: ['text', 5, []], strict: [true] },
  list: { right: [], wrong: ['text', 5, {}], strict: [true] },
  boolean: { right: [true], wrong: ['maybe', {}, []], strict: ['true', 1] },
  text: { right: ['x', 'Ñandú 🏠', 'two words'], wrong: [{}, []], strict: [5, true] },
  filled_text: { right: ['x', 'Ñandú 🏠', 'two words'], wrong: [{}, []], strict: ['', 5, true] },
  uuid: {
    right: [],
    wrong: ['not-a-uuid', {}],
    strict: ['', 5, '3f2b8c1e5d1a4c559a702b7d0f6f1c11', '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}'],
  },
  date: {
    right: ['1990-05-17', '1988-02-29'],
    wrong: ['yesterday', '17/05/1990', {}],
    strict: ['', '2023-02-30', '1990-13-01', '1990-5-17', ' 1990-05-17', '1990-05-17T00:00:00Z', 19900517],
  },
  'date-time': {
    right: [moment, '2026-01-31T09:30:00.123Z', '2026-01-31T10:30:00+01:00'],
    wrong: ['yesterday', '31/01/2026', {}],
    strict: ['', '2026-01-31', '2026-01-31T09:30:00', '2026-02-30T09:30:00Z', ` ${moment}`, 1769851800000],
  },
  uri: {
    right: ['https://example.com/loans', 'http://example.com/a?b=c'],
    wrong: ['no address at all', {}],
    strict: ['', 'example.com', '/loans', ' https://example.com', 5],
  },
  email: {
    right: [],
    wrong: ['nobody', 'nobody@', {}],
    strict: ['', ' ana@example.com', 'ana@example.com ', 'Ana <ana@example.com>', 'ana@@example.com', 5],
  },
  ipv4: {
    right: ['203.0.113.7', '198.51.100.7'],
    wrong: ['nowhere', '256.0.0.1', '::1', {}],
    strict: ['', '1.2.3', '01.2.3.4', '1.2.3.4/24', 16909060],
  },
}

/** The values that a field is tried with. `isNullable` covers `null`; bounds have their own cases. */
export function valuesFor({ kind, values = [], min = 0, max = 5000 }: ShapeField): FieldValues {
  if (kind === 'integer')
    return {
      right: [min, min + 1, max - 1, max],
      wrong: [min + 0.5, 'many', {}, []],
      strict: [String(min + 1), '', true],
    }
  if (kind !== 'enum') return valuesOf[kind]
  const [value = ''] = values
  return {
    right: values,
    wrong: ['unheard_of', {}],
    strict: ['', value.toUpperCase(), ` ${value}`, [value], 0, 'constructor'],
  }
}

/**
 * Sees that a lead is judged with each of these values of a field.
 * @throws {Mismatch} where it is not; it names every such value.
 */
export async function takesEach(target: Target, path: string, values: readonly unknown[]): Promise<void> {
  await tryEach(target, path, values, response => expectLead(response))
}

/**
 * Sees that each of these values of a field is a 400 that names the field; `undefined` takes the field away.
 * @throws {Mismatch} where it is not; it names every such value.
 */
export async function refusesEach(target: Target, path: string, values: readonly unknown[]): Promise<void> {
  await tryEach(target, path, values, response => expectFieldRefused(response, path))
}

async function tryEach(
  target: Target,
  path: string,
  values: readonly unknown[],
  see: (response: TargetResponse) => void,
) {
  const mismatches: [value: string, Mismatch][] = []
  for (const value of values) {
    const response = await target.submit(target.submission({ ...everyObject, [path]: value }))
    try {
      see(response)
    } catch (mismatch) {
      if (!(mismatch instanceof Mismatch)) throw mismatch
      mismatches.push([value === undefined ? 'without it' : `with ${JSON.stringify(value)}`, mismatch])
    }
  }
  const [first] = mismatches
  if (!first) return
  const [, { expected }] = first
  throw new Mismatch(expected, mismatches.map(([value, { seen }]) => `${value}: ${seen}`).join('; '))
}

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
    path,
    kind: kindOf(description),
    isRequired: !optional,
    isNullable: nullable === true,
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
