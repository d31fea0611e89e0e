import * as contract from '@lead-distribution/contract'
import { type StatementId, statements } from '../../../statements/index.ts'
import type { ShapeField } from './read-shape.ts'

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

/** The enumerations that have a statement of their own. */
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
 * The statement that tells of the field at a path.
 * @throws Error where no statement tells of it.
 */
export function statementOf(path: string): StatementId {
  const words = path.split('.').filter(word => !/^\d+$/.test(word))
  const id = `${beginnings[words.slice(0, -1).join('.')]}${words.at(-1)}`
  if (!(id in statements)) throw new Error(`No statement tells of ${path}: write one.`)
  return id as StatementId
}

/** The statement of the words of a field, where it has some that have one. */
export function enumerationOf({ words }: ShapeField): StatementId[] {
  return enumerations.filter(([each]) => words?.join() === each.join()).map(([, id]) => id)
}
