import * as contract from '@lead-distribution/contract'
import { type ConformanceCase, Mismatch } from '../../conformance-case.ts'
import { expectFieldRefused, expectLead } from '../../expectations.ts'
import { type StatementId, statements } from '../../statements/index.ts'
import type { Target, TargetResponse } from '../../target.ts'
import { everyObject } from './full-lead.ts'

/** The kind of value that a field accepts. */
type FieldKind =
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

interface ShapeField {
  /** The dotted path in the body, with numbers for list items. */
  readonly path: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly values?: readonly string[]
  /** The bounds of an integer, inclusive. */
  readonly min?: number
  readonly max?: number
}

/** The list item whose fields the cases change. The items before it make the body valid. */
const itemOf: Readonly<Record<string, number>> = { 'consents.entries': 2 }

function fieldsBelow({ fields = {} }: contract.FieldDescription, parent: string): ShapeField[] {
  return Object.entries(fields).flatMap(([name, field]) => fieldAt(field, parent === '' ? name : `${parent}.${name}`))
}

function fieldAt(description: contract.FieldDescription, path: string): ShapeField[] {
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

function kindOf({ type, filled, format }: contract.FieldDescription): FieldKind {
  if (type === 'enum') return 'enum'
  if (type === 'text') return (format?.name as FieldKind | undefined) ?? (filled ? 'filled_text' : 'text')
  return type
}

/**
 * Values to try for a kind of field. `right` is valid and `wrong` is invalid under any interpretation; `strict` is
 * invalid under ours, where nothing is coerced and formats are exact.
 */
interface FieldValues {
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
    strict: [
      '',
      '2026-01-31',
      '2026-01-31T09:30:00',
      '2026-02-30T09:30:00Z',
      '2026-05-17T12:34:60Z',
      ` ${moment}`,
      1769851800000,
    ],
  },
  uri: {
    right: ['https://example.com/loans', 'http://example.com/a?b=c'],
    wrong: ['no address at all', {}],
    strict: [
      '',
      'example.com',
      '/loans',
      ' https://example.com',
      'https://example.com/préstamos',
      'https://example.com/%zz',
      5,
    ],
  },
  email: {
    right: [],
    wrong: ['nobody', 'nobody@', {}],
    strict: [
      '',
      ' ana@example.com',
      'ana@example.com ',
      'Ana <ana@example.com>',
      'ana@@example.com',
      `${'a'.repeat(65)}@example.com`,
      5,
    ],
  },
  ipv4: {
    right: ['203.0.113.7', '198.51.100.7'],
    wrong: ['nowhere', '256.0.0.1', '::1', {}],
    strict: ['', '1.2.3', '01.2.3.4', '1.2.3.4/24', 16909060],
  },
}

/** Returns the values to try for a field, without `null` and out-of-bounds values, which have their own cases. */
function valuesFor({ kind, values = [], min = 0, max = 5000 }: ShapeField): FieldValues {
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
 * Expects a lead to be accepted with each of these values of a field.
 * @throws {Mismatch} if it isn't. The mismatch names every such value.
 */
async function acceptsEach(target: Target, path: string, values: readonly unknown[]): Promise<void> {
  await tryEach(target, path, values, response => expectLead(response))
}

/**
 * Expects a 400 that names the field for each of these values; `undefined` removes the field.
 * @throws {Mismatch} if there is none. The mismatch names every such value.
 */
async function refusesEach(target: Target, path: string, values: readonly unknown[]): Promise<void> {
  await tryEach(target, path, values, response => expectFieldRefused(response, path))
}

async function tryEach(
  target: Target,
  path: string,
  values: readonly unknown[],
  check: (response: TargetResponse) => void,
) {
  const mismatches: [value: string, Mismatch][] = []
  for (const value of values) {
    const response = await target.submit(target.submission({ ...everyObject, [path]: value }))
    try {
      check(response)
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

/** The beginning of the statement ids about an object's fields, by the object's path without list numbers. */
const beginnings: Readonly<Record<string, string>> = {
  '': '2.1/',
  customer: '2.2/',
  'customer.personal_data': '2.3/',
  'customer.contact': '2.4/contact.',
  'customer.contact.email': '2.4/email.',
  'customer.contact.phone': '2.4/phone.',
  'customer.address': '2.5/',
  'customer.profile': '2.6/',
  'customer.financial_instruments': '2.7/',
  product_data: '2.8/',
  consents: '2.9/',
  'consents.entries': '2.9/entry.',
  'consents.metadata': '2.9/metadata.',
  tracking: '2.10/',
}

const enumerations: readonly (readonly [readonly string[], StatementId])[] = [
  [contract.loanPurposes, '2.11/LoanPurpose'],
  [contract.occupationTypes, '2.11/OccupationType'],
  [contract.maritalStatuses, '2.11/MaritalStatus'],
  [contract.educationLevels, '2.11/EducationLevel'],
  [contract.housingTenures, '2.11/HousingTenure'],
  [contract.housingTypes, '2.11/HousingType'],
  [contract.companySectors, '2.11/CompanySector'],
  [contract.verificationStatuses, '2.11/VerificationStatus'],
  [contract.verificationMethods, '2.11/VerificationMethod'],
  [contract.genders, '2.11/Gender'],
]

/**
 * Returns the statement about the field at a path.
 * @throws Error if there is none.
 */
export function statementOf(path: string): StatementId {
  const names = path.split('.').filter(name => !/^\d+$/.test(name))
  const id = `${beginnings[names.slice(0, -1).join('.')]}${names.at(-1)}`
  if (!(id in statements)) throw new Error(`No statement is about ${path}: add one.`)
  return id as StatementId
}

/** Returns the statement about the field's enumeration, if there is one. */
function enumerationOf({ values }: ShapeField): StatementId[] {
  return enumerations.filter(([each]) => values?.join() === each.join()).map(([, id]) => id)
}

/** Every field of a submission under the prose interpretation, parents first. Other cases cover the differences. */
export const leadFields: readonly ShapeField[] = fieldsBelow(contract.leadFields, '')

/** Cases for every field: values it accepts, values it refuses, and whether it may be missing. */
export const fieldCases: readonly ConformanceCase[] = leadFields.flatMap(casesOf)

function casesOf(field: ShapeField): ConformanceCase[] {
  const { path, isRequired, isNullable, min, max } = field
  const { right, wrong, strict } = valuesFor(field)
  const statement = statementOf(path)
  const [section = ''] = statement.split('/')
  const statements = [statement]
  const withEnumeration = [statement, ...enumerationOf(field)]
  const nothing = isNullable ? [] : [null]
  // An accepted consent needs a time. Null is for declined ones, which have their own case.
  const acceptsNull = isNullable && !path.endsWith('.accepted_at')

  const cases: (ConformanceCase | false)[] = [
    right.length > 0 && {
      id: `${section}/${path}-takes-right-values`,
      title: `accepts any valid value of ${path}`,
      statements: withEnumeration,
      run: target => acceptsEach(target, path, acceptsNull ? [...right, null] : right),
    },
    {
      id: `${section}/${path}-refuses-wrong-values`,
      title: `refuses invalid values of ${path}`,
      statements: [...withEnumeration, '7/400'],
      run: target => refusesEach(target, path, wrong),
    },
    min !== undefined &&
      max !== undefined && {
        id: `${section}/${path}-keeps-its-bounds`,
        title: `refuses ${path} one unit outside its bounds`,
        statements: [statement, `8/${path.split('.').at(-1)}` as '8/loan_amount'],
        run: target => refusesEach(target, path, [min - 1, max + 1, 0, -min]),
      },
    isRequired && {
      id: `${section}/${path}-is-required`,
      title: `refuses a lead without ${path}`,
      statements: [statement, '4.1/rule-1'],
      run: target => refusesEach(target, path, [undefined]),
    },
    {
      id: `open/${path}-is-taken-to-the-letter`,
      title: `refuses values that would have to be coerced for ${path}`,
      statements,
      run: target => refusesEach(target, path, [...strict, ...nothing]),
    },
  ]
  return cases.filter(each => each !== false)
}
