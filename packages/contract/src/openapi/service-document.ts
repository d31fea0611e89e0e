import type { LeadResponse, LeadSubmission } from '../lead/lead.ts'
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
} from '../lead/shapes.ts'
import { type Operation, operations } from '../operations.ts'
import { keyHeader } from '../request.ts'
import { statusMetadata } from '../status/shapes.ts'
import type { EventReply, StatusReply, StatusUpdate } from '../status/status.ts'
import type { ErrorCode } from '../wire-error.ts'
import { callbackOperation } from './callback-operation.ts'
import { type OpenApiDocument, openApiDocument, type Server } from './document.ts'
import { fieldNotes } from './field-notes.generated.ts'
import type { OperationExamples } from './operation-object.ts'

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

/** Examples of the service's requests and replies; a test parses them by the shapes. */
export const serviceExamples = {
  submitLead: { request: { 'smallest lead': smallestLead }, reply: leadReplies },
  reportStatus: { request: { 'loan issued': update }, reply: { 'loan issued': updateReply } },
  reportEvent: { reply: { received: eventReply, ignored: { ...eventReply, status: 'ignored' } } },
} as const satisfies Record<string, OperationExamples>

const { submitLead, reportStatus, reportEvent } = operations

/** The shapes of the service that have a name, by the name of their interface. */
export const serviceComponents = {
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
  LeadResponse: submitLead.reply,
  StatusUpdate: reportStatus.input,
  StatusMetadata: statusMetadata,
  StatusReply: reportStatus.reply,
  EventReport: reportEvent.input,
  EventReply: reportEvent.reply,
} as const

const errorNotes: Readonly<Record<ErrorCode | keyof typeof ownErrorStatus, string>> = {
  validation_error: 'a field is missing or has a value that it must not have; `details` lists every issue.',
  malformed_json: 'the body is no JSON.',
  unauthorized: 'the key or the token is missing, unknown, or not good for this operation.',
  not_found: 'there is no such lead, or the advertiser did not get it.',
  method_not_allowed: 'the path has no such method.',
  payload_too_large: 'the body is larger than 256 KiB.',
  unsupported_media_type: 'the body is not declared as JSON.',
  consents_missing: 'the consents `terms` and `privacy_policy` are not both accepted.',
  invalid_product: 'the account has no such product.',
  publisher_mismatch: 'the `publisher_id` is not that of the key.',
  internal_error: 'the service failed; the result of the request is not known.',
  service_unavailable: 'the service is unavailable; the result of the request is not known.',
}

/** The status of the error codes that the specification does not show. */
const ownErrorStatus = { service_unavailable: 503 } as const

const description = `Publishers submit loan applications and get the decision at once; advertisers report what
happens to them later. Business rejections are no errors: they are answered with \`200\` and a \`rejection_reason\`.
Where the specification is ambiguous, this document follows its prose and quick start.`

/** Whose lead the example of a submission is, so that it can be sent as it is. */
export interface ExampleOwner {
  readonly publisher_id: string
  readonly product_id: string
  /** Of a customer that the service does not know yet. */
  readonly email: string
}

const howToRepeat = `The example of a submission is a lead of the demo account, with an e-mail address that is new each time
this document is loaded. One address is one customer: to send it again, change the address or load the document again.`

/** Response values that a later version of the service may add to, and the statuses that `status_vocabulary: any` takes. */
const openEnumerations = {
  LeadResponse: ['status', 'rejection_reason'],
  EventReply: ['event', 'status'],
  StatusUpdate: ['status'],
}

/** The operations with the errors that do not depend on the operation. */
const documented: Readonly<Record<string, Operation<string>>> = Object.fromEntries(
  Object.entries<Operation>(operations).map(([name, operation]) => {
    // Of several methods, a service may take only one (4.2).
    const ofMethod = operation.methods.length > 1 ? ['method_not_allowed'] : []
    return [name, { ...operation, errors: [...operation.errors, ...ofMethod, 'service_unavailable'] }]
  }),
)

/**
 * The OpenAPI 3.1 document of the service, for these base addresses. With an owner, the example of a submission is one
 * that the service takes.
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
      advertisers: 'Report what happens to the leads that were distributed to them.',
    },
    webhooks: { leadEvent: { get: callbackOperation } },
    components: serviceComponents,
    openEnumerations,
    notes: fieldNotes,
    parameters: {
      lead_id: {
        description: 'Id of the lead, as the reply to the submission gave it.',
        schema: { type: 'string', format: 'uuid' },
      },
    },
    errorStatus: ownErrorStatus,
    errorNotes,
    otherErrors: 'Any other error: of a proxy before the service, or one that a test injected into a sandbox.',
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
  return { 'smallest lead': { ...smallestLead, publisher_id, product_id, customer } }
}
