import type { $ZodType } from 'zod/v4/core'
import { leadResponse, leadSubmission } from './lead/lead.ts'
import { proseInterpretation } from './lead/limits.ts'
import { eventReply, eventReport, statusReply, statusUpdate } from './status.ts'
import type { ErrorCode } from './wire-error.ts'

/** The HTTP methods that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A way to authenticate: an API key of one scope, a postback URL's signed token, or nothing. */
export type Credential = 'publisher' | 'advertiser' | 'lead-token'

/** One operation in a table: adapters mount it, clients call it. `Code` is its error codes. */
export interface Operation<Code extends string = ErrorCode> {
  /** The section of the specification, such as `4.1`, if the specification has the operation. */
  readonly spec?: string
  /** A short imperative, such as `Submit a lead`. */
  readonly title: string
  /** Details that the title omits, in sentences. */
  readonly description?: string
  /** The accepted methods, preferred one first. */
  readonly methods: readonly Method[]
  /** The path relative to the base URL; a segment that begins with `:` is a parameter. */
  readonly path: string
  /** The credential that the specification requires, if any. */
  readonly key?: Credential
  /** The location of the input: the JSON body, the query, or none. */
  readonly in: 'body' | 'query' | 'none'
  /** The shape of the input. */
  readonly input?: $ZodType
  /** True if the handler validates the input itself, because the shape depends on more than the request. */
  readonly validation?: 'handler'
  /**
   * The part that is newline-delimited JSON, `application/x-ndjson`: the body, which the handler reads line by line, or
   * the response.
   */
  readonly lines?: 'input' | 'reply'
  /** The maximum size of the body, in bytes, if it differs from that of other operations. */
  readonly maxBodyBytes?: number
  /** The success status. Default: 200. */
  readonly status?: number
  /** The shape of a success body or, for a stream, of each event's data. */
  readonly reply: $ZodType
  /** True if a success is a stream of server-sent events. */
  readonly streams?: true
  /** The errors of this operation, besides those that all operations share. */
  readonly errors: readonly Code[]
}

/** The service's operations. Handlers validate the input, because its shape depends on the tenant's settings. */ // Spec 4
export const operations = {
  submitLead: {
    spec: '4.1',
    title: 'Submit a lead',
    description: 'The response says whether the lead is new, distributed or rejected.',
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
    description: 'Reports an event of a lead in a JSON body. The publisher receives a callback.',
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
    description: 'Reports an event of a lead by a signed pixel URL. The publisher receives a callback.',
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
