import type { $ZodType } from 'zod/v4/core'
import { errorResponse, fieldIssue } from '../error-shapes.ts'
import type { Credential, Operation } from '../operations.ts'
import { errorStatus } from '../wire-error.ts'
import { fieldNotes } from './field-notes.generated.ts'
import { type OperationExamples, operationObject, parameterNames, templateOf } from './operation-object.ts'
import { type FieldNotes, type JsonSchema, namedSchemas } from './schemas.ts'

/** The parts of an OpenAPI 3.1 document that are the same for every service. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly Server[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

/** A base address of the operations. */
export interface Server {
  readonly url: string
  readonly description?: string
}

/** How the document describes a credential. */
export interface SecurityScheme {
  /** Its name among the components. */
  readonly name: string
  /** The security scheme object. */
  readonly scheme: object
  /** Whether a call may also do without. */
  readonly optional?: boolean
}

/** What a document is made from. */
export interface DocumentOptions {
  readonly title: string
  readonly version: string
  /** Prose for the top of the document. */
  readonly description?: string
  readonly servers: readonly Server[]
  /** The operations table. */
  readonly operations: Readonly<Record<string, Operation<string>>>
  /** The tag of an operation: a reference groups operations by it. */
  readonly tagOf?: (operation: Operation<string>) => string
  /** Named shapes. A shape of an operation that is not here is named after the operation. */
  readonly components?: Readonly<Record<string, $ZodType>>
  /** What the components and their fields mean, by the name of the component. */
  readonly notes?: FieldNotes
  /** The path parameters by name. Default: a text. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  /** The status of each error code that is not the service's. */
  readonly errorStatus?: Readonly<Record<string, number>>
  /** When the service replies with each error code, one sentence each. */
  readonly errorNotes?: Readonly<Record<string, string>>
  /** How callers authenticate; a credential that is not here needs no scheme. */
  readonly security?: Readonly<Partial<Record<Credential, SecurityScheme>>>
  /** Examples of requests and replies, by the name of the operation. */
  readonly examples?: Readonly<Record<string, OperationExamples>>
}

/** Makes the OpenAPI 3.1 document of an operations table. */
export function openApiDocument(options: DocumentOptions): OpenApiDocument {
  const { operations, security = {}, notes = {} } = options
  const errors = { ErrorResponse: errorResponse, FieldIssue: fieldIssue }
  const named = namedSchemas({ ...errors, ...options.components }, operations, { ...errorNotesOf2_13, ...notes })
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const template = templateOf(operation.path)
    paths[template] ??= { parameters: parameterNames(operation.path).map(each => parameter(each, options)) }
    for (const [index, method] of operation.methods.entries())
      paths[template][method.toLowerCase()] = operationObject({
        operationId: index === 0 ? name : `${name}By${method.charAt(0)}${method.slice(1).toLowerCase()}`,
        operation,
        tag: options.tagOf?.(operation),
        named,
        security: requirement(security[operation.key]),
        errorStatus: { ...errorStatus, ...options.errorStatus },
        errorNotes: options.errorNotes ?? {},
        examples: options.examples?.[name] ?? {},
      })
  }
  const { title, version, description, servers } = options
  const info = { title, version, ...(description && { description }), license: { name: 'MIT', identifier: 'MIT' } }
  const securitySchemes = Object.fromEntries(Object.values(security).map(({ name, scheme }) => [name, scheme]))
  return { openapi: '3.1.1', info, servers, paths, components: { schemas: named.schemas, securitySchemes } }
}

const { ErrorResponse, FieldIssue } = fieldNotes
const errorNotesOf2_13 = { ErrorResponse, FieldIssue }

function parameter(name: string, { parameters = {} }: DocumentOptions): object {
  const { description, schema } = parameters[name] ?? { description: `The ${name}.`, schema: { type: 'string' } }
  return { name, in: 'path', required: true, description, schema }
}

function requirement(scheme: SecurityScheme | undefined): object[] {
  if (!scheme) return []
  return [...(scheme.optional ? [{}] : []), { [scheme.name]: [] }]
}
