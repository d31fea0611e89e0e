import type { Operation } from '../operations.ts'
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
  /** Its group in a reference; undefined where there is only one. */
  readonly tag: string | undefined
  readonly named: NamedSchemas
  readonly security: readonly object[]
  readonly errorStatus: Readonly<Record<string, number>>
  readonly errorNotes: Readonly<Record<string, string>>
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
  const requestBody =
    input && operation.in === 'body'
      ? { requestBody: { required: true, content: json(named.referenceTo(input), examples.request) } }
      : {}
  return {
    operationId,
    summary: operation.summary,
    ...(operation.spec.match(/^\d/) && { description: `Section ${operation.spec} of the specification.` }),
    ...(tag !== undefined && { tags: [tag] }),
    security,
    ...parameters,
    ...requestBody,
    responses: {
      [status]: operation.streams
        ? { description: streamed, content: { 'text/event-stream': { schema: named.referenceTo(reply) } } }
        : { description: 'Done.', content: json(named.referenceTo(reply), examples.reply) },
      ...errorResponses(parts),
    },
  }
}

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
function errorResponses({ operation, errorStatus, errorNotes }: OperationParts): Record<string, object> {
  const responses: Record<string, object> = {}
  const statusOf = (code: string) => {
    const status = errorStatus[code]
    if (status === undefined) throw new Error(`The error ${code} has no status: give it one in errorStatus.`)
    return status
  }
  for (const status of new Set(operation.errors.map(statusOf))) {
    const codes = operation.errors.filter(code => statusOf(code) === status)
    const described = codes.map(code => (errorNotes[code] ? `\`${code}\`: ${errorNotes[code]}` : `\`${code}\`.`))
    responses[status] = {
      description: described.join(' '),
      content: json({ $ref: '#/components/schemas/ErrorResponse' }),
    }
  }
  return responses
}

function json(schema: JsonSchema, examples?: Readonly<Record<string, unknown>>): object {
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }])
  return { 'application/json': { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) } }
}
