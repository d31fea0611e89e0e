import { errorStatus, pixelEvents, rejectionReasons, usageEvents } from '@lead-distribution/contract'
import { type FieldNotes, fieldNotes } from '@lead-distribution/contract/openapi'

const notes: FieldNotes = fieldNotes

/** The beginnings of the ids of an interface's fields. */
const prefixOf = {
  LeadSubmission: '2.1/',
  Customer: '2.2/',
  PersonalData: '2.3/',
  Contact: '2.4/contact.',
  EmailContact: '2.4/email.',
  PhoneContact: '2.4/phone.',
  Address: '2.5/',
  Profile: '2.6/',
  FinancialInstrument: '2.7/',
  LoanProductData: '2.8/',
  Consents: '2.9/',
  ConsentEntry: '2.9/entry.',
  ConsentMetadata: '2.9/metadata.',
  Tracking: '2.10/',
  LeadResponse: '2.12/',
  ErrorResponse: '2.13/',
  FieldIssue: '2.13/details.',
  StatusUpdate: '4.2/',
  StatusMetadata: '4.2/metadata.',
  StatusReply: '4.2/reply.',
  EventReport: '4.3/',
  EventReply: '4.3/reply.',
} as const

/** Parts of an account, which only the sandbox has. */
const ofTheAccount = ['ProductCriteria', 'AdvertiserCriteria', 'BlacklistEntry']

/** The interfaces whose fields are not looked for, because nothing says where they are. */
export const unplaced = Object.keys(notes).filter(name => !(name in prefixOf) && !ofTheAccount.includes(name))

const fields = Object.entries(prefixOf).flatMap(([name, prefix]) =>
  Object.keys(notes[name]?.fields ?? {}).map(field => `${prefix}${field}`),
)

const numbered = (section: string, name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${section}/${name}-${index + 1}`)

/** Ids that must be there because the contract has the thing, or because the specification numbers it. */
export const expectedIds: readonly string[] = [
  ...fields,
  ...['LoanPurpose', 'OccupationType', 'MaritalStatus', 'EducationLevel', 'HousingTenure', 'HousingType'].map(
    name => `2.11/${name}`,
  ),
  ...['CompanySector', 'VerificationStatus', 'VerificationMethod', 'Gender'].map(name => `2.11/${name}`),
  ...rejectionReasons.map(reason => `2.12/${reason}`),
  ...['new', 'distributed', 'rejected', 'received', 'ignored'].map(state => `3/${state}`),
  ...['400', '401', '422', '500'].flatMap(status => [`4.1/${status}`, `7/${status}`]),
  ...[...pixelEvents, ...usageEvents].map(event => `6.1/${event}`),
  ...Object.keys(errorStatus).map(code => (code === 'validation_error' ? '7/validation_error' : `open/error.${code}`)),
  ...numbered('4.1', 'rule', 4),
  ...numbered('4.3', 'rule', 3),
  ...numbered('5', 'rule', 3),
  ...numbered('6.2', 'rule', 4),
  ...numbered('9', 'rule', 4),
]
