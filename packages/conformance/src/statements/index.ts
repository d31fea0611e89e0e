import { fieldNotes } from '@lead-distribution/contract/field-notes'
import { endpointStatements, eventStatements, replyStatements } from './service.ts'

type Notes = typeof fieldNotes
/** The interfaces that the specification has: all but those of an account. */
type Name = Exclude<keyof Notes, 'ProductCriteria' | 'AdvertiserCriteria'>

/** The beginnings of the ids of an interface's fields. */
const beginnings = {
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
} as const satisfies Readonly<Record<Name, string>>

type FieldId = { [N in Name]: `${(typeof beginnings)[N]}${keyof Notes[N]['fields'] & string}` }[Name]

/** Every field of the specification, with its description in the contract. */
const fieldStatements = Object.fromEntries(
  Object.entries(beginnings).flatMap(([name, beginning]) =>
    Object.entries(fieldNotes[name as Name].fields).map(([field, note]) => [`${beginning}${field}`, note]),
  ),
) as Readonly<Record<FieldId, string>>

/** The open points of the specification: the account sets each interpretation (docs/open-points.md). */
const openPointStatements = {
  'open/gender': 'The account sets whether the gender is required.',
  'open/consent_metadata': 'The account sets whether the metadata of consents is required.',
  'open/semantic_refusals':
    'The account sets whether missing consents and an unknown product are a 422 or a rejection.',
  'open/status_methods': 'The account sets the methods of the status update.',
  'open/status_vocabulary': 'The account sets the names that a status update accepts.',
  'open/callback_event_names': 'The account sets the event name that callbacks carry.',
  'open/absent_fields': 'The account sets whether a field that does not apply is left out or null.',
  'open/duplicate_window': 'The account sets how long a repeated submission counts as a duplicate.',
  'open/callback_retries': 'The account sets when a failed callback is retried.',
  'open/callback_timeout': 'The account sets the timeout of a callback.',
  'open/token_format': 'The account sets the format of the token.',
  'open/distribution':
    'The account sets whether a lead goes to the first advertiser that accepts it or to each of them.',
  'open/callback_signature': 'The account sets whether callbacks are signed.',
  'open/other_advertiser': "A status update of another advertiser's lead gets the same 404 as one of an unknown lead.",
  'open/error.malformed_json': 'A body that is not JSON gets a 400 malformed_json.',
  'open/error.not_found': 'An unknown lead or path gets a 404 not_found.',
  'open/error.method_not_allowed': 'A method that a path does not support gets a 405 method_not_allowed, with Allow.',
  'open/error.payload_too_large': 'A body over 256 KiB gets a 413 payload_too_large; one of exactly 256 KiB does not.',
  'open/error.unsupported_media_type': 'A body that is not declared as JSON gets a 415 unsupported_media_type.',
  'open/error.unauthorized': 'Every 401 has the code unauthorized and the same body.',
  'open/error.consents_missing': 'Consents that were not accepted get a 422 consents_missing.',
  'open/error.invalid_product': 'An unknown product gets a 422 invalid_product.',
  'open/error.publisher_mismatch': 'A publisher_id that does not belong to the key gets a 422 publisher_mismatch.',
  'open/error.internal_error': 'A failure of the service gets a 500 internal_error that does not reveal its cause.',
} as const

/** Every statement of the specification by its id: the section, a slash, and a name within the section. */
export const statements = {
  ...fieldStatements,
  '2.6/required': 'A profile has an occupation and a monthly income.',
  ...replyStatements,
  ...endpointStatements,
  ...eventStatements,
  ...openPointStatements,
} as const

/** The id of a statement of the specification, such as `2.8/loan_amount`. */
export type StatementId = keyof typeof statements
