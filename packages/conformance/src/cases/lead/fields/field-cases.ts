import * as contract from '@lead-distribution/contract'
import type { ConformanceCase } from '../../../conformance-case.ts'
import { type StatementId, statements } from '../../../statements/index.ts'
import { fieldsOfSubmission, refusesEach, type ShapeField, takesEach, valuesFor } from './field-values.ts'

/** What the statements of an object's fields begin with, by the object's path; the elements of a list have no number. */
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

/** The enumerations that have their own statement. */
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
 * The statement about the field at a path.
 * @throws Error where there is none.
 */
export function statementOf(path: string): StatementId {
  const names = path.split('.').filter(name => !/^\d+$/.test(name))
  const id = `${beginnings[names.slice(0, -1).join('.')]}${names.at(-1)}`
  if (!(id in statements)) throw new Error(`No statement is about ${path}: write one.`)
  return id as StatementId
}

/** The statement of the enumeration of a field, if it has one. */
function enumerationOf({ values }: ShapeField): StatementId[] {
  return enumerations.filter(([each]) => values?.join() === each.join()).map(([, id]) => id)
}

/** Every field of a submission, as the contract has it. Other cases cover the differences between interpretations. */
export const leadFields: readonly ShapeField[] = fieldsOfSubmission()

/** What is tried of every field: what it takes, what it refuses, whether it may be missing. */
export const fieldCases: readonly ConformanceCase[] = leadFields.flatMap(casesOf)

function casesOf(field: ShapeField): ConformanceCase[] {
  const { path, isRequired, isNullable, min, max } = field
  const { right, wrong, strict } = valuesFor(field)
  const statement = statementOf(path)
  const [section = ''] = statement.split('/')
  const statements = [statement]
  const withEnumeration = [statement, ...enumerationOf(field)]
  const nothing = isNullable ? [] : [null]
  // What was accepted says when: null goes with a declined consent, which has its own case.
  const takesNothing = isNullable && !path.endsWith('.accepted_at')

  const cases: (ConformanceCase | false)[] = [
    right.length > 0 && {
      id: `${section}/${path}-takes-right-values`,
      title: `takes ${path} with any value that it may have`,
      statements: withEnumeration,
      run: target => takesEach(target, path, takesNothing ? [...right, null] : right),
    },
    {
      id: `${section}/${path}-refuses-wrong-values`,
      title: `refuses ${path} with a value that it cannot have`,
      statements: [...withEnumeration, '7/400'],
      run: target => refusesEach(target, path, wrong),
    },
    min !== undefined &&
      max !== undefined && {
        id: `${section}/${path}-keeps-its-bounds`,
        title: `refuses ${path} a unit outside of its bounds`,
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
      title: `coerces nothing to what ${path} may be`,
      statements,
      weight: 'interpretation',
      run: target => refusesEach(target, path, [...strict, ...nothing]),
    },
  ]
  return cases.filter(each => each !== false)
}
