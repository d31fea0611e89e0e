import * as z from 'zod/mini'
import type { $ZodType } from 'zod/v4/core'
import { errorResponse, fieldIssue } from '../error-shapes.ts'
import type { Credential, Method, Operation } from '../operations.ts'
import { statusOfCode } from '../wire-error.ts'
import { fieldNotes } from './field-notes.generated.ts'
import { type FieldNotes, type JsonSchema, type NamedSchemas, namedSchemas, type OpenEnumerations } from './schemas.ts'

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  /** The requests that the service sends, by name. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

/** The operations of one path, by method in lower case. */
export type PathItem = Readonly<Record<string, object>>

/** A base URL of the operations. */
export interface Server {
  readonly url: string
  readonly description?: string
}

/** The description of a credential. */
export interface SecurityScheme {
  /** Its name among the components. */
  readonly name: string
  /** The security scheme object. */
  readonly scheme: object
  /** True if the credential is optional. */
  readonly optional?: boolean
}

/** Examples for one operation. */
export interface OperationExamples {
  /** Request bodies, by name. */
  readonly request?: Readonly<Record<string, unknown>>
  /** Response bodies, by name. */
  readonly reply?: Readonly<Record<string, unknown>>
}

/** The description of a path parameter. */
export interface PathParameterNotes {
  readonly description: string
  readonly schema: JsonSchema
  /** A value for clients and readers to try. */
  readonly example: string
}

/** The input to a document. */
export interface DocumentOptions {
  readonly title: string
  readonly version: string
  /** The introductory text. */
  readonly description?: string
  readonly servers: readonly Server[]
  /** The operations table. */
  readonly operations: Readonly<Record<string, Operation<string>>>
  /** Returns the tag of an operation, by which references group operations. */
  readonly tagOf?: (operation: Operation<string>) => string
  /** The description of each tag, by name, in order. */
  readonly tags?: Readonly<Record<string, string>>
  /** The requests that the service sends, by name. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  /** Named shapes. Other shapes are named after their operation. */
  readonly components?: Readonly<Record<string, $ZodType>>
  /** The fields with enumerations that may get more values, by component name. */
  readonly openEnumerations?: OpenEnumerations
  /** The descriptions of components and their fields, by component name. */
  readonly notes?: FieldNotes
  /** The path parameters, by name. Default: a string. */
  readonly parameters?: Readonly<Record<string, PathParameterNotes>>
  /** Examples of required query parameters, by name. */
  readonly queryExamples?: Readonly<Record<string, string>>
  /** The status of each error code that is not one of the service's. */
  readonly errorStatus?: Readonly<Record<string, number>>
  /** The meaning of each error code, in one sentence. */
  readonly errorNotes?: Readonly<Record<string, string>>
  /** The meaning of statuses that an operation does not declare. Default: none. */
  readonly otherErrors?: string
  /** True if a missing body counts as an empty object. Default: false. */
  readonly optionalBody?: boolean
  /**
   * The security scheme of each credential; `other` is for operations that name none. A credential without one has no
   * scheme.
   */
  readonly security?: Readonly<Partial<Record<Credential | 'other', SecurityScheme>>>
  /** Examples of requests and responses, by operation name. */
  readonly examples?: Readonly<Record<string, OperationExamples>>
}

/** Builds the OpenAPI 3.1 document of an operations table. */
export function openApiDocument(options: DocumentOptions): OpenApiDocument {
  const { operations, security = {}, notes = {} } = options
  const errors = { ErrorResponse: errorResponse, FieldIssue: fieldIssue }
  const named = namedSchemas({
    components: { ...errors, ...options.components },
    operations,
    notes: { ...errorNotesOf2_13, ...notes },
    openEnumerations: options.openEnumerations ?? {},
  })
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const template = templateOf(operation.path)
    paths[template] ??= { parameters: parameterNames(operation.path).map(each => parameter(each, options)) }
    for (const [index, method] of operation.methods.entries())
      paths[template][method.toLowerCase()] = operationObject({
        operationId: index === 0 ? name : `${name}By${method.charAt(0)}${method.slice(1).toLowerCase()}`,
        operation,
        method,
        tag: options.tagOf?.(operation),
        named,
        security: requirement(security[operation.key ?? 'other']),
        errorStatus: { ...statusOfCode, ...options.errorStatus },
        errorNotes: options.errorNotes ?? {},
        otherErrors: options.otherErrors,
        optionalBody: options.optionalBody ?? false,
        examples: options.examples?.[name] ?? {},
        queryExamples: options.queryExamples ?? {},
      })
  }
  const { title, version, description, servers, webhooks } = options
  const info = { title, version, ...(description && { description }), license: { name: 'MIT', identifier: 'MIT' } }
  const securitySchemes = Object.fromEntries(Object.values(security).map(({ name, scheme }) => [name, scheme]))
  return {
    openapi: '3.1.1',
    info,
    servers,
    tags: Object.entries(options.tags ?? {}).map(([name, description]) => ({ name, description })),
    paths,
    ...(webhooks && { webhooks }),
    components: { schemas: named.schemas, securitySchemes },
  }
}

const { ErrorResponse, FieldIssue } = fieldNotes
const errorNotesOf2_13 = { ErrorResponse, FieldIssue }

function parameter(name: string, { parameters = {} }: DocumentOptions): object {
  const notes = parameters[name] ?? { description: `The ${name}.`, schema: { type: 'string' } }
  return { name, in: 'path', required: true, ...notes }
}

function requirement(scheme: SecurityScheme | undefined): object[] {
  if (!scheme) return []
  return [...(scheme.optional ? [{}] : []), { [scheme.name]: [] }]
}

/** The parts of an operation object. */
interface OperationParts {
  readonly operationId: string
  readonly operation: Operation<string>
  /** One of the operation's methods. */
  readonly method: Method
  /** Its group in a reference; undefined if there is only one. */
  readonly tag: string | undefined
  readonly named: NamedSchemas
  readonly security: readonly object[]
  readonly optionalBody: boolean
  readonly errorStatus: Readonly<Record<string, number>>
  readonly errorNotes: Readonly<Record<string, string>>
  /** The meaning of any other error status; undefined if there is none. */
  readonly otherErrors: string | undefined
  readonly examples: OperationExamples
  readonly queryExamples: Readonly<Record<string, string>>
}

/** Returns a path as an OpenAPI template: `/lead/:lead_id` becomes `/lead/{lead_id}`. */
const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** Returns the names of a path's parameters. */
const parameterNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Returns the operation object for one method. */
function operationObject(parts: OperationParts): object {
  const { operationId, operation, tag, named, security, examples } = parts
  const { input, reply, status = 200 } = operation
  const parameters =
    input && operation.in === 'query' ? { parameters: queryParameters(named.schemaOf(input), parts.queryExamples) } : {}
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
        : operation.lines === 'reply'
          ? { description: 'Success.', content: jsonLines(named.referenceTo(reply)) }
          : { description: 'Success.', content: json(named.referenceTo(reply), examples.reply) },
      ...errorResponses(parts),
    },
  }
}

function descriptionOf({ description, spec }: Operation<string>): string {
  const section = spec !== undefined && `Section ${spec} of the specification.`
  return [description, section].filter(Boolean).join(' ')
}

/** The body is required unless the operation accepts an empty object, because a missing body counts as one. */
function requestBodyOf({ operation, method, named, optionalBody, examples }: OperationParts): object {
  const { input, in: place } = operation
  if (input && place === 'body') {
    if (operation.lines === 'input')
      return { requestBody: { required: true, content: jsonLines(named.referenceTo(input)) } }
    const required = !(optionalBody && z.safeParse(input, {}).success)
    return { requestBody: { required, content: json(named.referenceTo(input), examples.request) } }
  }
  // Many clients send an empty object with every POST.
  if (optionalBody && method === 'POST') return { requestBody: { required: false, content: json(emptyObject) } }
  return {}
}

const emptyObject: JsonSchema = { type: 'object', additionalProperties: false }

const streamed = 'Server-sent events. `event` is the type of each event; its data is JSON of this schema.'

function queryParameters(
  { properties = {}, required: needed = [] }: JsonSchema,
  examples: OperationParts['queryExamples'],
): object[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => {
    const required = (needed as string[]).includes(name)
    return {
      name,
      in: 'query',
      required,
      ...(description === undefined ? {} : { description }),
      schema,
      ...(required && Object.hasOwn(examples, name) && { example: examples[name] }),
    }
  })
}

/** Groups an operation's errors by status. */
function errorResponses(parts: OperationParts): Record<string, object> {
  const { operation, errorStatus, errorNotes, otherErrors } = parts
  const responses: Record<string, object> = {}
  const statusOf = (code: string) => {
    const status = errorStatus[code]
    if (status === undefined) throw new Error(`The error ${code} has no status: add it to errorStatus.`)
    return status
  }
  for (const status of new Set(operation.errors.map(statusOf))) {
    const codes = operation.errors.filter(code => statusOf(code) === status)
    const described = codes.map(code => (errorNotes[code] ? `\`${code}\`: ${errorNotes[code]}` : `\`${code}\`.`))
    responses[status] = errorResponseObject(described.join(' '), headersOfStatus[status])
  }
  if (otherErrors !== undefined) responses.default = errorResponseObject(otherErrors)
  return responses
}

function errorResponseObject(description: string, headers?: object): object {
  return { description, ...(headers && { headers }), content: json({ $ref: '#/components/schemas/ErrorResponse' }) }
}

/** The headers that HTTP requires for a status. An error injected by a test lacks them. */
const headersOfStatus: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': { description: 'The scheme of the credential.', schema: { type: 'string' } } },
  405: { Allow: { description: 'The accepted methods.', schema: { type: 'string' } } },
  503: {
    'Retry-After': { description: 'When to retry, in seconds from now.', schema: { type: 'integer', minimum: 0 } },
  },
}

const jsonLines = (schema: JsonSchema) => ({ 'application/x-ndjson': { schema } })

function json(schema: JsonSchema, examples?: Readonly<Record<string, unknown>>): object {
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }])
  return { 'application/json': { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) } }
}
