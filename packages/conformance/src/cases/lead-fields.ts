import * as contract from '@lead-distribution/contract'
import { type ConformanceCase, casesOf, Mismatch, type Run } from '../case.ts'
import { expect } from '../expectations.ts'
import { submitLead } from '../requests.ts'
import { leadSections, type StatementId, statements } from '../statements.ts'
import type { Changes, TargetResponse } from '../target.ts'

/** Creates an entry of the consents. */
export function consent(type: string, accepted: boolean): contract.ConsentEntry {
  return { type, accepted, accepted_at: accepted ? '2026-01-31T09:30:00Z' : null, version: '1' }
}

/** Every optional object with its required fields, as a base for changes to the others. */
const everyObject: Changes = {
  'customer.contact.phone': { number: '600123456' },
  'customer.address': { country: 'ES' },
  'customer.profile': { occupation: 'indefinite_employee', monthly_income: 5000 },
  'customer.financial_instruments': [{ type: 'bank_account' }],
  'consents.entries.2': consent('marketing', true),
  tracking: { click_id: 'c-1' },
}

/** A field of a submission: its dotted path, with numbers for list items, and its description. */
type LeadField = readonly [path: string, field: contract.FieldDescription]

/** The list item that the cases change. The items before it make the body valid. */
const itemOf: Readonly<Record<string, number>> = { 'consents.entries': 2 }

function fieldsBelow({ fields = {} }: contract.FieldDescription, parent = ''): LeadField[] {
  return Object.entries(fields).flatMap(([name, field]) => fieldsAt(`${parent}${name}`, field))
}

function fieldsAt(path: string, field: contract.FieldDescription): LeadField[] {
  if (!field.items) return [[path, field], ...fieldsBelow(field, `${path}.`)]
  return [
    [path, field],
    ...fieldsAt(`${path}.${itemOf[path] ?? 0}`, { ...field.items, type: 'object', optional: true }),
  ]
}

/**
 * Values to try for a kind of field. `right` is valid and `wrong` is invalid under any interpretation. `coerced` is
 * invalid under ours, which coerces nothing and checks formats strictly.
 */
interface FieldValues {
  readonly right: readonly unknown[]
  readonly wrong: readonly unknown[]
  readonly coerced: readonly unknown[]
}

const texts = ['x', 'Ñandú 🏠', 'two words']
const moment = '2026-01-31T09:30:00Z'
const laxMoments = ['2026-01-31', '2026-01-31T09:30:00', '2026-02-30T09:30:00Z', '2026-05-17T12:34:60Z', ` ${moment}`]
const laxDates = ['2023-02-30', '1990-13-01', '1990-5-17', ' 1990-05-17', '1990-05-17T00:00:00Z']
const laxUuids = ['3f2b8c1e5d1a4c559a702b7d0f6f1c11', '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}']
const spacedUrls = ['example.com', '/loans', ' https://example.com', 'https://example.com/préstamos']
const longAddress = `${'a'.repeat(65)}@example.com`
const spacedAddresses = [
  ' ana@example.com',
  'ana@example.com ',
  'Ana <ana@example.com>',
  'ana@@example.com',
  longAddress,
]

/** By type, by format, or `filled` for a text that must not be empty. Enumerations and integers depend on the field. */
const valuesOf: Readonly<Record<string, FieldValues>> = {
  object: { right: [], wrong: ['text', 5, []], coerced: [true] },
  list: { right: [], wrong: ['text', 5, {}], coerced: [true] },
  boolean: { right: [true], wrong: ['maybe', {}, []], coerced: ['true', 1] },
  text: { right: texts, wrong: [{}, []], coerced: [5, true] },
  filled: { right: texts, wrong: [{}, []], coerced: ['', 5, true] },
  uuid: { right: [], wrong: ['not-a-uuid', {}], coerced: ['', 5, ...laxUuids] },
  date: {
    right: ['1990-05-17', '1988-02-29'],
    wrong: ['yesterday', '17/05/1990', {}],
    coerced: ['', ...laxDates, 19900517],
  },
  'date-time': {
    right: [moment, '2026-01-31T09:30:00.123Z', '2026-01-31T10:30:00+01:00'],
    wrong: ['yesterday', '31/01/2026', {}],
    coerced: ['', ...laxMoments, 1769851800000],
  },
  uri: {
    right: ['https://example.com/loans', 'http://example.com/a?b=c'],
    wrong: ['no address at all', {}],
    coerced: ['', ...spacedUrls, 'https://example.com/%zz', 5],
  },
  email: { right: [], wrong: ['nobody', 'nobody@', {}], coerced: ['', ...spacedAddresses, 5] },
  ipv4: {
    right: ['203.0.113.7', '198.51.100.7'],
    wrong: ['nowhere', '256.0.0.1', '::1', {}],
    coerced: ['', '1.2.3', '01.2.3.4', '1.2.3.4/24', 16909060],
  },
}

/** Returns the values to try for a field, without `null` and out-of-bounds values, which have their own rows. */
function valuesFor({ type, format, filled, values = [], min = 0, max = 5000 }: contract.FieldDescription): FieldValues {
  const [value = ''] = values
  if (type === 'integer')
    return {
      right: [min, min + 1, max - 1, max],
      wrong: [min + 0.5, 'many', {}, []],
      coerced: [String(min + 1), '', true],
    }
  if (type === 'enum')
    return {
      right: values,
      wrong: ['unheard_of', {}],
      coerced: ['', value.toUpperCase(), ` ${value}`, [value], 0, 'constructor'],
    }
  const found = valuesOf[type === 'text' ? (format?.name ?? (filled ? 'filled' : 'text')) : type]
  if (!found) throw new Error(`There are no values to try for the format ${format?.name}: add some.`)
  return found
}

/** Expects a lead to be accepted with each of these values of a field. */
const acceptsEach = (path: string, values: readonly unknown[]): Run => tryEach(path, values, expect.lead)

/** Expects a 400 that names the field for each of these values; `undefined` removes the field. */
const refusesEach = (path: string, values: readonly unknown[]): Run =>
  tryEach(path, values, response => expect.fieldRefused(response, path))

/** Submits a lead with each of these values. The mismatch names every value that fails the expectation. */
function tryEach(path: string, values: readonly unknown[], expectation: (response: TargetResponse) => void): Run {
  return async target => {
    const mismatches: [value: string, Mismatch][] = []
    for (const value of values) {
      const response = await submitLead(target, { ...everyObject, [path]: value })
      try {
        expectation(response)
      } catch (mismatch) {
        if (!(mismatch instanceof Mismatch)) throw mismatch
        mismatches.push([value === undefined ? 'without it' : `with ${JSON.stringify(value)}`, mismatch])
      }
    }
    const [first] = mismatches
    if (first)
      throw new Mismatch(first[1].expected, mismatches.map(([value, { seen }]) => `${value}: ${seen}`).join('; '))
  }
}

const enumerations = {
  '2.11/LoanPurpose': contract.loanPurposes,
  '2.11/OccupationType': contract.occupationTypes,
  '2.11/MaritalStatus': contract.maritalStatuses,
  '2.11/EducationLevel': contract.educationLevels,
  '2.11/HousingTenure': contract.housingTenures,
  '2.11/HousingType': contract.housingTypes,
  '2.11/CompanySector': contract.companySectors,
  '2.11/VerificationStatus': contract.verificationStatuses,
  '2.11/VerificationMethod': contract.verificationMethods,
  '2.11/Gender': contract.genders,
} as const

/** Returns the statement about the field at a path, and the one about its enumeration, if any. */
function statementsAbout([path, { values }]: LeadField): StatementId[] {
  const names = path.split('.').filter(name => !/^\d+$/.test(name))
  const id = `${leadSections[names.slice(0, -1).join('.')]}${names.at(-1)}` as StatementId
  if (!(id in statements)) throw new Error(`No statement covers ${path}: add one.`)
  const ids = Object.keys(enumerations) as (keyof typeof enumerations)[]
  return [id, ...ids.filter(each => values?.join() === enumerations[each].join())]
}

/** Cases for every field of a submission under the prose interpretation. Other cases cover the differences. */
export const fieldCases: readonly ConformanceCase[] = fieldsBelow(contract.leadFields).flatMap(field => {
  const [path, { optional, nullable, min, max }] = field
  const { right, wrong, coerced } = valuesFor(field[1])
  const about = statementsAbout(field)
  const [statement] = about as [StatementId]
  const section = statement.split('/')[0]
  const found: ConformanceCase[] = []
  const add = (statements: readonly StatementId[], id: string, run: Run) =>
    found.push(...casesOf(statements, [], { [id]: run }))

  // An accepted consent needs a time. Null is for declined consents, which have their own case.
  const isNullRight = nullable && !path.endsWith('.accepted_at')
  if (right.length > 0)
    add(about, `${section}/accepts-valid-values-of-${path}`, acceptsEach(path, isNullRight ? [...right, null] : right))
  add([...about, '7/400'], `${section}/refuses-invalid-values-of-${path}`, refusesEach(path, wrong))
  if (min !== undefined && max !== undefined) {
    const bounds = `8/${path.split('.').at(-1)}` as '8/loan_amount'
    const outside = refusesEach(path, [min - 1, max + 1, 0, -min])
    add([statement, bounds], `${section}/refuses-values-outside-the-bounds-of-${path}`, outside)
  }
  if (!optional) add([statement, '4.1/rule-1'], `${section}/requires-${path}`, refusesEach(path, [undefined]))
  add([statement], `open/refuses-to-coerce-${path}`, refusesEach(path, nullable ? coerced : [...coerced, null]))
  return found
})
