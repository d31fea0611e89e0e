import { proseInterpretation } from './interpretation.ts'
import { leadResponse } from './lead/lead-response.shape.ts'
import { leadSubmission } from './lead/lead-submission.shape.ts'
import type { Operation } from './operation.ts'
import { eventReply, eventReport } from './status/event-report.shape.ts'
import { statusReply, statusUpdate } from './status/status-update.shape.ts'

/** Spec 4: every operation of the service. How its input is validated depends on the tenant's settings: handlers do it. */
export const operations = {
  submitLead: {
    spec: '4.1',
    summary: 'Submit a lead, and learn at once whether it is new, distributed or rejected.',
    methods: ['POST'],
    path: '/lead',
    key: 'publisher',
    in: 'body',
    input: leadSubmission(proseInterpretation),
    validation: 'handler',
    reply: leadResponse,
    errors: [
      'validation_error',
      'malformed_json',
      'unauthorized',
      'payload_too_large',
      'unsupported_media_type',
      'consents_missing',
      'invalid_product',
      'publisher_mismatch',
      'internal_error',
    ],
  },
  reportStatus: {
    spec: '4.2',
    summary: 'Report what happened to a lead by a JSON call; the publisher is told by a callback.',
    methods: ['POST', 'PATCH'],
    path: '/lead/:lead_id/status',
    key: 'advertiser',
    in: 'body',
    input: statusUpdate('known'),
    validation: 'handler',
    reply: statusReply,
    errors: [
      'validation_error',
      'malformed_json',
      'unauthorized',
      'not_found',
      'payload_too_large',
      'unsupported_media_type',
      'internal_error',
    ],
  },
  reportEvent: {
    spec: '4.3',
    summary: 'Report what happened to a lead by a signed pixel URL; the publisher is told by a callback.',
    methods: ['GET'],
    path: '/lead/:lead_id/status',
    key: 'lead-token',
    in: 'query',
    input: eventReport,
    validation: 'handler',
    reply: eventReply,
    errors: ['validation_error', 'unauthorized', 'internal_error'],
  },
} as const satisfies Record<string, Operation>

/** The name of an operation of the service. */
export type OperationName = keyof typeof operations
