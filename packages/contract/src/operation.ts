import type { $ZodType } from 'zod/v4/core'
import type { ErrorCode } from './wire-error.ts'

/** The methods that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a caller proves itself with: an API key of one scope, the signed token of a postback URL, or nothing of the service's. */
export type Credential = 'publisher' | 'advertiser' | 'lead-token' | 'none'

/**
 * One row of an operations table: doors mount it, clients call it, the OpenAPI document is made from it.
 * A table whose errors are not only those of the service names its codes.
 */
export interface Operation<Code extends string = ErrorCode> {
  /** The section that states it, such as `4.1`. */
  readonly spec: string
  /** One sentence: what it does. */
  readonly summary: string
  /** The methods it answers; the first one is the usual one. */
  readonly methods: readonly Method[]
  /** The path below the base address; a segment that begins with `:` is a parameter. */
  readonly path: string
  /** What the caller proves itself with. */
  readonly key: Credential
  /** Where the input is: the JSON body, the query, or none. */
  readonly in: 'body' | 'query' | 'none'
  /** The shape of the input. */
  readonly input?: $ZodType
  /** That the handler validates the input itself, because the shape depends on more than the request. */
  readonly validation?: 'handler'
  /** The status of the reply that says it is done; 200 where none is named. */
  readonly status?: number
  /** The shape of the reply that says it is done. */
  readonly reply: $ZodType
  /** The errors it can answer with, besides those that every operation has. */
  readonly errors: readonly Code[]
}
