import { knownStatuses } from '../events.ts'
import type { EventReply, LeadResponse, LeadSubmission, StatusReply, StatusUpdate } from '../interfaces.generated.ts'
import {
  address,
  consentEntry,
  consentMetadata,
  contact,
  emailContact,
  financialInstrument,
  loanProductData,
  phoneContact,
  profile,
  tracking,
} from '../lead/lead.ts'
import { type Operation, operations } from '../operations.ts'
import { keyHeader } from '../request.ts'
import { statusMetadata } from '../status.ts'
import { type ErrorCode, statusOfCode } from '../wire-error.ts'
import { type OpenApiDocument, type OperationExamples, openApiDocument, type Server } from './document.ts'
import { fieldNotes } from './field-notes.generated.ts'

const lead_id = '7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10'

const smallestLead: LeadSubmission = {
  product_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  publisher_id: 'b1a6d9f0-7e42-4d6b-8a5c-0c9e4f3d2b17',
  customer: {
    personal_data: { first_name: 'Ana', last_name: 'Prueba' },
    contact: { email: { address: 'ana@example.com' } },
  },
  product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
  consents: {
    entries: [
      { type: 'terms', accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '3' },
      { type: 'privacy_policy', accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '5' },
    ],
  },
}

const leadReplies = {
  distributed: { lead_id, status: 'distributed', redirect_url: 'https://advertiser.example/apply/7d9b0a52' },
  new: { lead_id, status: 'new' },
  rejected: { status: 'rejected', rejection_reason: 'customer_already_exists' },
} satisfies Record<string, LeadResponse>

const update: StatusUpdate = { status: 'loan_issued', metadata: { amount: 5000, term_months: 24 } }
const updateReply: StatusReply = { lead_id, status: 'loan_issued' }
const eventReply: EventReply = { lead_id, event: 'approved', status: 'received' }

/** Examples of the service's requests and responses. A test validates them against the shapes. */
export const serviceExamples = {
  submitLead: { request: { 'minimal lead': smallestLead }, reply: leadReplies },
  reportStatus: { request: { 'loan issued': update }, reply: { 'loan issued': updateReply } },
  reportEvent: { reply: { received: eventReply, ignored: { ...eventReply, status: 'ignored' } } },
} as const satisfies Record<string, OperationExamples>

const { submitLead, reportStatus, reportEvent } = operations

/** The named shapes of a submission, by interface name. */
export const submissionComponents = {
  LeadSubmission: submitLead.input,
  Customer: submitLead.input.shape.customer,
  PersonalData: submitLead.input.shape.customer.shape.personal_data,
  Contact: contact,
  EmailContact: emailContact,
  PhoneContact: phoneContact,
  Address: address,
  Profile: profile,
  FinancialInstrument: financialInstrument,
  LoanProductData: loanProductData,
  Consents: submitLead.input.shape.consents,
  ConsentEntry: consentEntry,
  ConsentMetadata: consentMetadata,
  Tracking: tracking,
} as const

/** The named shapes of the service. */
export const serviceComponents = {
  ...submissionComponents,
  LeadResponse: submitLead.reply,
  StatusUpdate: reportStatus.input,
  StatusMetadata: statusMetadata,
  StatusReply: reportStatus.reply,
  EventReport: reportEvent.input,
  EventReply: reportEvent.reply,
} as const

const errorNotes = {
  validation_error: 'a field is missing or invalid; `details` lists every issue.',
  malformed_json: 'the body is not JSON.',
  unauthorized: 'the key or the token is missing, unknown, or not valid for this operation.',
  not_found: 'the lead does not exist, or was not distributed to this advertiser.',
  method_not_allowed: 'the path does not support this method.',
  payload_too_large: 'the body is larger than 256 KiB.',
  unsupported_media_type: 'the body is not declared as JSON.',
  consents_missing: 'the consents `terms` and `privacy_policy` are not both accepted.',
  invalid_product: 'the account has no such product.',
  publisher_mismatch: 'the `publisher_id` does not belong to the key.',
  internal_error: 'the service failed; the result of the request is unknown.',
  service_unavailable: 'the service is unavailable; the result of the request is unknown.',
  overloaded: 'too many requests in flight; this one was not processed.',
} satisfies Partial<Record<keyof typeof statusOfCode, string>> & Record<ErrorCode, string>

/** Every error of the service, for human readers: its code, status and meaning. */
export const serviceErrors = Object.entries(errorNotes).map(([code, meaning]) => ({
  code,
  status: statusOfCode[code as keyof typeof errorNotes],
  meaning,
}))

const description = `Publishers submit loan applications and get the decision immediately; advertisers report what
happens to them later. A business rejection is not an error: the response is a \`200\` with a \`rejection_reason\`.
Where the specification is ambiguous, this document follows its prose and quick start.`

const ofSignature = 'An extension of the sandbox, based on Standard Webhooks, if `callback_signature` requires it:'

const signatureHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description: `${ofSignature} ${description}`,
  schema: { type: 'string' },
})

/** The callback to the publisher. Its URL is configured in the account, so it is not a path of the document. */ // Spec 6.2
const callbackOperation = {
  operationId: 'receiveLeadEvent',
  summary: 'Receive an event',
  description:
    "The service calls the publisher's callback URL when something happens to a lead, and keeps the URL's own query. Section 6.2 of the specification.",
  tags: ['publishers'],
  security: [],
  parameters: [
    {
      name: 'lead_id',
      in: 'query',
      required: true,
      description: 'Id of the lead, from the response to its submission.',
      schema: { type: 'string', format: 'uuid' },
      example: lead_id,
    },
    {
      name: 'event',
      in: 'query',
      required: true,
      description: 'The event, by its name on either list or as the advertiser reported it.',
      schema: { anyOf: [{ type: 'string', enum: knownStatuses }, { type: 'string' }] },
      example: update.status,
    },
    signatureHeader('webhook-id', 'identifies the callback, and stays the same for retries.'),
    signatureHeader('webhook-timestamp', 'the time of this attempt, in seconds since 1970.'),
    signatureHeader('webhook-signature', '`v1,` followed by the base64 signature.'),
  ],
  responses: {
    '2XX': { description: 'Delivered. The body is ignored.' },
    default: { description: 'Not delivered. A sandbox retries according to its setting `callback_retries`.' },
  },
}

/** The owner of the example lead, so that it can be sent unchanged. */
export interface ExampleOwner {
  readonly publisher_id: string
  readonly product_id: string
  /** The e-mail address of a new customer. */
  readonly email: string
}

const howToRepeat = `The example submission is a lead of the demo account. Its e-mail address is new each time this
document is loaded. Each address is one customer: to send another lead, change the address or reload the document.`

/**
 * Response values that a later version of the service may extend, and the statuses that `status_vocabulary: any`
 * accepts.
 */
const openEnumerations = {
  LeadResponse: ['status', 'rejection_reason'],
  EventReply: ['event', 'status'],
  StatusUpdate: ['status'],
}

/** The operations, with the errors that all operations share. */
const documented: Readonly<Record<string, Operation<string>>> = Object.fromEntries(
  Object.entries<Operation>(operations).map(([name, operation]) => {
    // A service may accept only one of several methods (4.2).
    const ofMethod = operation.methods.length > 1 ? ['method_not_allowed'] : []
    return [name, { ...operation, errors: [...operation.errors, ...ofMethod, 'service_unavailable', 'overloaded'] }]
  }),
)

/**
 * Returns the service's OpenAPI 3.1 document for these base URLs. With an owner, the service accepts the example
 * submission.
 */ // Spec 4
export function serviceDocument(servers: readonly Server[], owner?: ExampleOwner): OpenApiDocument {
  const key = (scope: string) => ({ type: 'apiKey', in: 'header', name: keyHeader, description: `The ${scope}'s key.` })
  return openApiDocument({
    title: 'Lead distribution service',
    version: '2.0.0',
    description: (owner ? `${description} ${howToRepeat}` : description).replaceAll('\n', ' '),
    servers,
    operations: documented,
    tagOf: ({ key }) => (key === 'publisher' ? 'publishers' : 'advertisers'),
    tags: {
      publishers: 'Submit leads, and receive callbacks about them.',
      advertisers: 'Report events of the leads that were distributed to them.',
    },
    webhooks: { leadEvent: { get: callbackOperation } },
    components: serviceComponents,
    openEnumerations,
    notes: fieldNotes,
    parameters: {
      lead_id: {
        description: 'Id of the lead, from the response to its submission.',
        schema: { type: 'string', format: 'uuid' },
        example: lead_id,
      },
    },
    queryExamples: {
      token: '5f0c7a1d9b3e64828f1e0d7c6b5a49382716f5e4d3c2b1a09f8e7d6c5b4a3928',
      event: eventReply.event,
    },
    errorNotes,
    otherErrors: 'Any other error: from a proxy in front of the service, or injected by a test into a sandbox.',
    security: {
      publisher: { name: 'publisherKey', scheme: key('publisher') },
      advertiser: { name: 'advertiserKey', scheme: key('advertiser') },
    },
    examples: owner
      ? { ...serviceExamples, submitLead: { ...serviceExamples.submitLead, request: requestOf(owner) } }
      : serviceExamples,
  })
}

function requestOf({ publisher_id, product_id, email }: ExampleOwner): Record<string, LeadSubmission> {
  const customer = { ...smallestLead.customer, contact: { email: { address: email } } }
  return { 'minimal lead': { ...smallestLead, publisher_id, product_id, customer } }
}
