import * as z from 'zod/mini'
import type { Method, Operation } from '../operations.ts'
import type { JsonSchema, NamedSchemas } from './schemas.ts'

/** Examples of one operation. */
export interface OperationExamples {
  /** By name: what is sent. */
  readonly request?: Readonly<Record<string, unknown>>
  /** By name: what is answered. */
  readonly reply?: Readonly<Record<string, unknown>>
}

/** What an operation object is made from. */
export interface OperationParts {
  readonly operationId: string
  readonly operation: Operation<string>
  /** One of the operation's methods. */
  readonly method: Method
  /** Its group in a reference; undefined where there is only one. */
  readonly tag: string | undefined
  readonly named: NamedSchemas
  readonly security: readonly object[]
  readonly optionalBody: boolean
  readonly errorStatus: Readonly<Record<string, number>>
  readonly errorNotes: Readonly<Record<string, string>>
  /** When it responds with an error of any other status; undefined where it never does. */
  readonly otherErrors: string | undefined
  readonly examples: OperationExamples
}

/** The path template of OpenAPI: `/lead/:lead_id` becomes `/lead/{lead_id}`. */
export const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** The names of a path's parameters. */
export const parameterNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** One operation under one method. */
export function operationObject(parts: OperationParts): object {
  const { operationId, operation, tag, named, security, examples } = parts
  const { input, reply, status = 200 } = operation
  const parameters = input && operation.in === 'query' ? { parameters: queryParameters(named.schemaOf(input)) } : {}
  const description = descriptionOf(operation)
  return {
    operationId,
    summary: operation.title,
    ...(description && { description }),
    ...(tag !== undefined && { tags: [tag] }),
    security,
    ...parameters,
    ...requestBodyOf(parts),
    responses: {
      [status]: operation.streams
        ? { description: streamed, content: { 'text/event-stream': { schema: named.referenceTo(reply) } } }
        : { description: 'Done.', content: json(named.referenceTo(reply), examples.reply) },
      ...errorResponses(parts),
    },
  }
}

function descriptionOf({ description, spec }: Operation<string>): string {
  const section = /^\d/.test(spec) && `Section ${spec} of the specification.`
  return [description, section].filter(Boolean).join(' ')
}

/** The body is required unless the operation takes an empty object, which stands for a body that is left out. */
function requestBodyOf({ operation, method, named, optionalBody, examples }: OperationParts): object {
  const { input, in: place } = operation
  if (input && place === 'body') {
    const required = !(optionalBody && z.safeParse(input, {}).success)
    return { requestBody: { required, content: json(named.referenceTo(input), examples.request) } }
  }
  // Many clients send an empty object with every POST.
  if (optionalBody && method === 'POST') return { requestBody: { required: false, content: json(emptyObject) } }
  return {}
}

const emptyObject: JsonSchema = { type: 'object', additionalProperties: false }

const streamed = 'Server-sent events: `event` is the type of each, and its data is JSON of this schema.'

function queryParameters({ properties = {}, required = [] }: JsonSchema): object[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))
}

/** The errors of an operation, those of one status together. */
function errorResponses(parts: OperationParts): Record<string, object> {
  const { operation, errorStatus, errorNotes, otherErrors } = parts
  const responses: Record<string, object> = {}
  const statusOf = (code: string) => {
    const status = errorStatus[code]
    if (status === undefined) throw new Error(`The error ${code} has no status: give it one in errorStatus.`)
    return status
  }
  for (const status of new Set(operation.errors.map(statusOf))) {
    const codes = operation.errors.filter(code => statusOf(code) === status)
    const described = codes.map(code => (errorNotes[code] ? `\`${code}\`: ${errorNotes[code]}` : `\`${code}\`.`))
    responses[status] = errorReply(described.join(' '), headersOfStatus[status])
  }
  if (otherErrors !== undefined) responses.default = errorReply(otherErrors)
  return responses
}

function errorReply(description: string, headers?: object): object {
  return { description, ...(headers && { headers }), content: json({ $ref: '#/components/schemas/ErrorResponse' }) }
}

/** The headers that HTTP gives a status, by the status. An error that a test injects has none. */
const headersOfStatus: Readonly<Record<number, object>> = {
  405: { Allow: { description: 'The methods that are accepted.', schema: { type: 'string' } } },
  503: {
    'Retry-After': { description: 'When to try again, seconds from now.', schema: { type: 'integer', minimum: 0 } },
  },
}

function json(schema: JsonSchema, examples?: Readonly<Record<string, unknown>>): object {
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }])
  return { 'application/json': { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) } }
}
