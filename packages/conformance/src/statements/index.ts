import { fieldNotes } from '@lead-distribution/contract/field-notes'
import { endpointStatements, eventStatements, replyStatements } from './service.ts'

type Notes = typeof fieldNotes
/** The interfaces that the specification has: all but those of an account. */
type Name = Exclude<keyof Notes, 'ProductCriteria' | 'AdvertiserCriteria' | 'BlacklistEntry'>

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

/** The open points of the specification: each interpretation can be set, and is kept to (docs/open-points.md). */
const openPointStatements = {
  'open/gender': 'Whether the gender is required can be set.',
  'open/consent_metadata': 'Whether the metadata of consents is required can be set.',
  'open/semantic_refusals': 'Whether consents and an unknown product are a 422 or a rejection can be set.',
  'open/status_methods': 'Which methods the status update takes can be set.',
  'open/status_vocabulary': 'The names that a status update takes can be set.',
  'open/callback_event_names': 'Which name of an event the callback carries can be set.',
  'open/absent_fields': 'Whether a field that does not apply is left out or null can be set.',
  'open/duplicate_window': 'How long a customer comes back too soon can be set.',
  'open/callback_retries': 'When a failed callback is tried again can be set.',
  'open/callback_timeout': 'How long a callback may take can be set.',
  'open/token_format': 'How the token is made can be set.',
  'open/distribution': 'Whether one advertiser or every willing one gets a lead can be set.',
  'open/callback_signature': 'Whether a callback is signed can be set.',
  'open/other_advertiser': "A status update of another advertiser's lead is the same 404 as that of an unknown lead.",
  'open/error.malformed_json': 'A body that is no JSON is a 400 malformed_json.',
  'open/error.not_found': 'An unknown lead or path is a 404 not_found.',
  'open/error.method_not_allowed': 'A method that a path does not have is a 405 method_not_allowed, with Allow.',
  'open/error.payload_too_large': 'A body of more than 256 KiB is a 413 payload_too_large, one of just that is not.',
  'open/error.unsupported_media_type': 'A body that is not declared as JSON is a 415 unsupported_media_type.',
  'open/error.unauthorized': 'Every 401 has the code unauthorized and the same body.',
  'open/error.consents_missing': 'Consents that are not accepted are a 422 consents_missing.',
  'open/error.invalid_product': 'An unknown product is a 422 invalid_product.',
  'open/error.publisher_mismatch': "A publisher_id that is not the key's own is a 422 publisher_mismatch.",
  'open/error.internal_error': 'A failure of the service is a 500 internal_error that says nothing of its cause.',
} as const

/** Every statement of the specification by its id: the section, a slash, and a name within the section. */
export const statements = {
  ...fieldStatements,
  '2.6/required': 'A profile that is there holds an occupation and a monthly income.',
  ...replyStatements,
  ...endpointStatements,
  ...eventStatements,
  ...openPointStatements,
} as const

/** The id of a statement of the specification, such as `2.8/loan_amount`. */
export type StatementId = keyof typeof statements
