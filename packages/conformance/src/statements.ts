import { rejectionStatements } from '@lead-distribution/contract'
import { fieldNotes } from '@lead-distribution/contract/field-notes'

/**
 * The specification's interfaces, with the prefix of their fields' statement ids; those of a submission also with their
 * path in the body, without list indices.
 */
const interfaces = {
  LeadSubmission: ['2.1/', ''],
  Customer: ['2.2/', 'customer'],
  PersonalData: ['2.3/', 'customer.personal_data'],
  Contact: ['2.4/contact.', 'customer.contact'],
  EmailContact: ['2.4/email.', 'customer.contact.email'],
  PhoneContact: ['2.4/phone.', 'customer.contact.phone'],
  Address: ['2.5/', 'customer.address'],
  Profile: ['2.6/', 'customer.profile'],
  FinancialInstrument: ['2.7/', 'customer.financial_instruments'],
  LoanProductData: ['2.8/', 'product_data'],
  Consents: ['2.9/', 'consents'],
  ConsentEntry: ['2.9/entry.', 'consents.entries'],
  ConsentMetadata: ['2.9/metadata.', 'consents.metadata'],
  Tracking: ['2.10/', 'tracking'],
  LeadResponse: ['2.12/'],
  ErrorResponse: ['2.13/'],
  FieldIssue: ['2.13/details.'],
  StatusUpdate: ['4.2/'],
  StatusMetadata: ['4.2/metadata.'],
  StatusReply: ['4.2/reply.'],
  EventReport: ['4.3/'],
  EventReply: ['4.3/reply.'],
} as const satisfies Readonly<Record<Name, readonly [beginning: string, path?: string]>>

type Notes = typeof fieldNotes
/** The interfaces in the specification: all except those of an account. */
type Name = Exclude<keyof Notes, 'ProductCriteria' | 'AdvertiserCriteria'>
type FieldId = { [N in Name]: `${(typeof interfaces)[N][0]}${keyof Notes[N]['fields'] & string}` }[Name]

/** Every field of the specification, with its description in the contract. */
const fieldStatements = Object.fromEntries(
  Object.entries(interfaces).flatMap(([name, [beginning]]) =>
    Object.entries(fieldNotes[name as Name].fields).map(([field, note]) => [`${beginning}${field}`, note]),
  ),
) as Readonly<Record<FieldId, string>>

/** The prefix of the statement ids about an object's fields, by the object's path in a submission. */
export const leadSections: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(interfaces).map(([beginning, path = beginning]) => [path, beginning]),
)

/**
 * Every statement of the specification by its id: the section, a slash, and a name within the section.
 * @category Testing
 */
export const statements = {
  ...fieldStatements,
  // Profile, enumerations, rejections and states (Spec 2.6, 2.11 to 2.13, 3).
  '2.6/required': 'A profile has an occupation and a monthly income.',
  '2.11/LoanPurpose': 'A loan has one of fourteen purposes.',
  '2.11/OccupationType': 'A customer has one of thirteen occupations.',
  '2.11/MaritalStatus': 'A customer has one of seven marital statuses.',
  '2.11/EducationLevel': 'A customer has one of nine levels of education.',
  '2.11/HousingTenure': 'A home has one of four tenures.',
  '2.11/HousingType': 'A home has one of seven types.',
  '2.11/CompanySector': 'An employer has one of fifteen sectors.',
  '2.11/VerificationStatus': 'A verification status is verified, not verified, or pending.',
  '2.11/VerificationMethod': 'A verification method is otp, sms, link or hand.',
  '2.11/Gender': 'A gender is male, female or other.',
  ...rejectionStatements,
  '3/new': 'A valid lead that no advertiser accepts is new: it has an id and no redirect.',
  '3/distributed': 'A lead that an advertiser accepted is distributed: it has an id and a redirect.',
  '3/rejected': 'A lead that a rule rejects is rejected: it has a reason and no redirect.',
  '3/received': 'A new status update is recorded, and the publisher is notified.',
  '3/ignored': 'A repeated status update is ignored, and nobody is notified again.',
  // Endpoints and the keys that may call them (Spec 4, 5).
  '4/apikey': 'Every endpoint requires the apikey header, except the one with the signed token.',
  '4.1/method_and_path': 'Publishers submit a lead by POST to /lead.',
  '4.1/caller': 'Only a publisher submits leads.',
  '4.1/request_body': 'The body of a submission is JSON.',
  '4.1/200': 'A submission that reaches a decision gets a 200, even if the lead is rejected.',
  '4.1/rule-1': 'The required fields alone are enough, and each of them is needed.',
  '4.1/rule-2': 'The e-mail address identifies the customer within one product.',
  '4.1/rule-3': 'The service validates a lead, decides on it and offers it to advertisers before it responds.',
  '4.1/rule-4': 'A submission that reaches no decision gets one of four error statuses.',
  '4.1/400': 'A malformed request or an invalid field value gets a 400 with details.',
  '4.1/401': 'A missing or unknown key gets a 401.',
  '4.1/422': 'Consents that were not accepted and an unknown product get a 422.',
  '4.1/500': 'A failure of the service gets a 500.',
  '4.2/method_and_path': 'Advertisers report a status by POST to /lead/{lead_id}/status.',
  '4.2/lead_id': 'The path holds the UUID from the response to the submission.',
  '4.2/caller': "An advertiser reports a status with the advertiser's key.",
  '4.2/purpose': "A reported status is forwarded to the publisher's callback URL.",
  '4.2/methods': 'The service accepts POST, PATCH or both, depending on the account.',
  '4.2/success_reply': 'The response to an accepted update repeats the lead and the status.',
  '4.2/errors': 'A refused update gets an error response.',
  '4.3/method_and_path': 'Advertisers report an event by GET to /lead/{lead_id}/status.',
  '4.3/purpose': 'An event reported by pixel has the same effect as the same status reported by body.',
  '4.3/lead_id': 'The path holds the UUID of the lead.',
  '4.3/rule-1': 'A request without a valid token gets a 401.',
  '4.3/rule-2': 'The postback URL that comes with the lead works unchanged.',
  '4.3/rule-3': 'A repeated event is ignored.',
  '5/scheme': 'The key is sent in the apikey request header.',
  '5/where': 'A key in a URL is not accepted.',
  '5/issued_by': 'A publisher gets its key together with its publisher_id.',
  '5/publisher_key': 'A publisher key allows submitting leads.',
  '5/advertiser_key': 'An advertiser has its own key, which allows reporting.',
  '5/scope': "A key works on its own scope's endpoints and on no others.",
  '5/expiry': 'Keys do not expire.',
  '5/environments': 'Sandbox keys do not work in production, nor production keys in the sandbox.',
  '5/missing_or_invalid_key': 'A missing or unknown key gets a 401 with an error response.',
  '5/rule-1': 'The token is an HMAC over the lead and the advertiser, keyed with a secret shared with the advertiser.',
  '5/rule-2': 'The token is in the query parameter token.',
  '5/rule-3': 'A missing or wrong token gets a 401.',
  // Events, errors, limits, and the sandbox (Spec 6 to 9).
  '6.1/registration': 'registration is in both lists: the customer registered with the advertiser.',
  '6.1/approved': 'approved: the loan was approved and issued.',
  '6.1/rejected': 'rejected: the advertiser turned the customer down.',
  '6.1/completed': 'completed: the loan was repaid.',
  '6.1/defaulted': 'defaulted: the customer stopped paying.',
  '6.1/loan_issued': 'loan_issued is another name for approved.',
  '6.1/loan_rejected': 'loan_rejected is another name for rejected.',
  '6.1/loan_paid': 'loan_paid is another name for completed.',
  '6.1/loan_defaulted': 'loan_defaulted is another name for defaulted.',
  '6.1/rule-1': 'The pixel accepts the names of both lists.',
  '6.2/rule-1': "A recorded event is sent to the publisher's callback URL by GET.",
  '6.2/rule-2': 'The callback carries lead_id and event as query parameters.',
  '6.2/rule-3': 'The callback URL is part of the account; no request to the service sets it.',
  '6.2/rule-4': 'The lead_id of a callback is the one in the response to the submission.',
  '6.2/lead_id': 'The lead_id of a callback is a UUID.',
  '6.2/event': 'The event of a callback is an event name from the list that the account uses.',
  '6.2/nothing_else': 'The service sends nothing but that callback.',
  '7/400': 'An invalid field value gets a 400 whose details name the field.',
  '7/401': 'A missing or wrong key gets a 401; on the pixel, so does a missing or wrong token.',
  '7/422': 'Consents that were not accepted and an unknown product get a 422.',
  '7/500': 'A failure of the service gets a 500.',
  '7/business_rejections': 'A business rejection is not an error: it is a 200 with a reason.',
  '7/validation_error': 'A body that fails validation gets the error code validation_error.',
  '8/loan_amount': 'The amount is between 500 and 75000.',
  '8/loan_term_months': 'The term is between 3 and 84.',
  '8/required_accepted_consents': 'The required consents are terms and privacy_policy.',
  '8/nacionality': 'The nationality defaults to ES.',
  '8/country': 'The country of an address defaults to ES.',
  '8/area_code': 'The country code of a phone defaults to +34.',
  '8/currency': 'The currency of a financial instrument defaults to EUR.',
  '8/children': 'The number of children defaults to 0.',
  '9/path': 'The path holds the version, as /api/v1.',
  '9/rule-1': 'No sandbox lead reaches a real advertiser.',
  '9/rule-2': 'The sandbox responds as production does, with new, distributed and rejected.',
  '9/rule-3': 'The sandbox has its own keys and ids.',
  '9/rule-4': 'Production keys do not work in the sandbox.',
  // The open points of the specification. The account determines the interpretation of each (docs/open-points.md).
  'open/gender': 'The account determines whether the gender is required.',
  'open/consent_metadata': 'The account determines whether the consent metadata is required.',
  'open/semantic_refusals':
    'The account determines whether missing consents and an unknown product get a 422 or a rejection.',
  'open/status_methods': 'The account determines the methods of a status update.',
  'open/status_vocabulary': 'The account determines the names that a status update accepts.',
  'open/callback_event_names': 'The account determines the event names in callbacks.',
  'open/absent_fields': 'The account determines whether a field that does not apply is omitted or null.',
  'open/duplicate_window': 'The account determines how long a repeated submission counts as a duplicate.',
  'open/callback_retries': 'The account determines when a failed callback is retried.',
  'open/callback_timeout': 'The account determines the timeout of a callback.',
  'open/token_format': 'The account determines the token format.',
  'open/distribution':
    'The account determines whether a lead goes to the first advertiser that accepts it or to each of them.',
  'open/callback_signature': 'The account determines whether callbacks are signed.',
  'open/other_advertiser':
    "A status update for another advertiser's lead gets the same 404 as one for an unknown lead.",
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

/**
 * The id of a statement of the specification, such as `2.8/loan_amount`.
 * @category Testing
 */
export type StatementId = keyof typeof statements
