import { address } from '../lead/address.shape.ts'
import { consentEntry, consentMetadata } from '../lead/consents.shape.ts'
import { contact, emailContact, phoneContact } from '../lead/contact.shape.ts'
import { financialInstrument } from '../lead/financial-instrument.shape.ts'
import { loanProductData } from '../lead/loan-product-data.shape.ts'
import { profile } from '../lead/profile.shape.ts'
import { tracking } from '../lead/tracking.shape.ts'
import { operations } from '../operations.ts'
import { keyHeader } from '../request.ts'
import { statusMetadata } from '../status/status-update.shape.ts'
import type { ErrorCode } from '../wire-error.ts'
import { type OpenApiDocument, openApiDocument, type Server } from './document.ts'
import { fieldNotes } from './field-notes.generated.ts'
import { serviceExamples } from './service-examples.ts'

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

const errorNotes: Readonly<Record<ErrorCode, string>> = {
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
  internal_error: 'the service failed; what became of the request is not known.',
}

const description = `Publishers submit loan applications and learn at once what became of them; advertisers report what
happens to them later. Business rejections are no errors: they are answered with \`200\` and a \`rejection_reason\`.
What the specification leaves open is read here as its prose and quick start say.`

/** The OpenAPI 3.1 document of the service (Spec 4), for these base addresses. */
export function serviceDocument(servers: readonly Server[]): OpenApiDocument {
  const key = (scope: string) => ({ type: 'apiKey', in: 'header', name: keyHeader, description: `The ${scope}'s key.` })
  return openApiDocument({
    title: 'Lead distribution service',
    version: '2.0.0',
    description: description.replaceAll('\n', ' '),
    servers,
    operations,
    tagOf: ({ key }) => (key === 'publisher' ? 'publishers' : 'advertisers'),
    components: serviceComponents,
    notes: fieldNotes,
    parameters: {
      lead_id: {
        description: 'Id of the lead, as the reply to the submission gave it.',
        schema: { type: 'string', format: 'uuid' },
      },
    },
    errorNotes,
    security: {
      publisher: { name: 'publisherKey', scheme: key('publisher') },
      advertiser: { name: 'advertiserKey', scheme: key('advertiser') },
    },
    examples: serviceExamples,
  })
}
