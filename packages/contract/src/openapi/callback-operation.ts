import { knownStatuses } from '../events.ts'

const ofSignature = 'An extension of the sandbox after Standard Webhooks, where `callback_signature` asks for it:'

const signatureHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description: `${ofSignature} ${description}`,
  schema: { type: 'string' },
})

/** The callback to the publisher. Its URL is agreed upon elsewhere, so it is no path of the document. */ // Spec 6.2
export const callbackOperation = {
  operationId: 'receiveLeadEvent',
  summary: 'Receive an event',
  description:
    "The service requests the publisher's callback URL when something happens to a lead. The URL keeps its own query. Section 6.2 of the specification.",
  tags: ['publishers'],
  security: [],
  parameters: [
    {
      name: 'lead_id',
      in: 'query',
      required: true,
      description: 'Id of the lead, as the reply to the submission gave it.',
      schema: { type: 'string', format: 'uuid' },
    },
    {
      name: 'event',
      in: 'query',
      required: true,
      description: 'What happened, by a name of either list or as the advertiser reported it.',
      schema: { anyOf: [{ type: 'string', enum: knownStatuses }, { type: 'string' }] },
    },
    signatureHeader('webhook-id', 'names the callback, the same for its retries.'),
    signatureHeader('webhook-timestamp', 'the time of this try, seconds since 1970.'),
    signatureHeader('webhook-signature', '`v1,` and the signature in base64.'),
  ],
  responses: {
    '2XX': { description: 'Delivered. The body is not read.' },
    default: { description: 'Not delivered. A sandbox tries again by its setting `callback_retries`.' },
  },
}
