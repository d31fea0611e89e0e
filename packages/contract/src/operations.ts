import type { $ZodType } from 'zod/v4/core'
import { leadResponse, leadSubmission } from './lead/lead.ts'
import { proseInterpretation } from './lead/limits.ts'
import { eventReply, eventReport, statusReply, statusUpdate } from './status.ts'
import type { ErrorCode } from './wire-error.ts'

/** The methods that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A way to authenticate: an API key of one scope, the signed token of a postback URL, or nothing. */
export type Credential = 'publisher' | 'advertiser' | 'lead-token'

/** One operation of a table: adapters mount it, clients call it. `Code`: its error codes. */
export interface Operation<Code extends string = ErrorCode> {
  /** The section of the specification, such as `4.1`, if it has the operation. */
  readonly spec?: string
  /** A short imperative, such as `Submit a lead`. */
  readonly title: string
  /** The details that the title omits, in sentences. */
  readonly description?: string
  /** The accepted methods, the preferred one first. */
  readonly methods: readonly Method[]
  /** The path below the base address; a segment that begins with `:` is a parameter. */
  readonly path: string
  /** The credential of the specification that the caller needs, if any. */
  readonly key?: Credential
  /** The place of the input: the JSON body, the query, or none. */
  readonly in: 'body' | 'query' | 'none'
  /** The shape of the input. */
  readonly input?: $ZodType
  /** The handler validates the input itself, because the shape depends on more than the request. */
  readonly validation?: 'handler'
  /**
   * The part that is lines of JSON, `application/x-ndjson`: the body, whose bytes the handler gets and reads line by line, or
   * the response.
   */
  readonly lines?: 'input' | 'reply'
  /** The maximum size of the body, bytes, if it differs from that of the other operations. */
  readonly maxBodyBytes?: number
  /** The status of a success. Default: 200. */
  readonly status?: number
  /** The shape of a success's body; if it streams, of each event's data. */
  readonly reply: $ZodType
  /** A success is a stream of server-sent events. */
  readonly streams?: true
  /** The errors of this operation, in addition to those of every operation. */
  readonly errors: readonly Code[]
}

/** Every operation of the service. Handlers validate the input, because its shape depends on the tenant's settings. */ // Spec 4
export const operations = {
  submitLead: {
    spec: '4.1',
    title: 'Submit a lead',
    description: 'The response states whether the lead is new, distributed or rejected.',
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
    title: 'Report a status',
    description: 'Reports an event of a lead in a JSON body. The publisher is notified by a callback.',
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
    title: 'Report an event',
    description: 'Reports an event of a lead by a signed pixel URL. The publisher is notified by a callback.',
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
