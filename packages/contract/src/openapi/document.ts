import type { $ZodType } from 'zod/v4/core'
import { errorResponse, fieldIssue } from '../error-shapes.ts'
import type { Credential, Operation } from '../operations.ts'
import { errorStatus } from '../wire-error.ts'
import { fieldNotes } from './field-notes.generated.ts'
import { type OperationExamples, operationObject, parameterNames, templateOf } from './operation-object.ts'
import { type FieldNotes, type JsonSchema, namedSchemas, type OpenEnumerations } from './schemas.ts'

/** The parts of an OpenAPI 3.1 document that are the same for every service. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  /** The requests that the service itself sends, by their names. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

/** The operations of one path, by their methods in lower case. */
export type PathItem = Readonly<Record<string, object>>

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
  /** The description of each tag, by its name, in the order of a reference. */
  readonly tags?: Readonly<Record<string, string>>
  /** The requests that the service itself sends, by their names. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  /** Named shapes. A shape of an operation that is not here is named after the operation. */
  readonly components?: Readonly<Record<string, $ZodType>>
  /** The fields of components whose enumerations may hold further values, by the name of the component. */
  readonly openEnumerations?: OpenEnumerations
  /** What the components and their fields mean, by the name of the component. */
  readonly notes?: FieldNotes
  /** The path parameters by name. Default: a text. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  /** The status of each error code that is not the service's. */
  readonly errorStatus?: Readonly<Record<string, number>>
  /** When the service replies with each error code, one sentence each. */
  readonly errorNotes?: Readonly<Record<string, string>>
  /** When an operation responds with an error of a status that it does not declare. Left out: never. */
  readonly otherErrors?: string
  /** True if a request without a body is read as one with an empty object. Default: false. */
  readonly optionalBody?: boolean
  /** How callers authenticate; a credential that is not here needs no scheme. */
  readonly security?: Readonly<Partial<Record<Credential, SecurityScheme>>>
  /** Examples of requests and replies, by the name of the operation. */
  readonly examples?: Readonly<Record<string, OperationExamples>>
}

/** Makes the OpenAPI 3.1 document of an operations table. */
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
        security: requirement(security[operation.key]),
        errorStatus: { ...errorStatus, ...options.errorStatus },
        errorNotes: options.errorNotes ?? {},
        otherErrors: options.otherErrors,
        optionalBody: options.optionalBody ?? false,
        examples: options.examples?.[name] ?? {},
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
  const { description, schema } = parameters[name] ?? { description: `The ${name}.`, schema: { type: 'string' } }
  return { name, in: 'path', required: true, description, schema }
}

function requirement(scheme: SecurityScheme | undefined): object[] {
  if (!scheme) return []
  return [...(scheme.optional ? [{}] : []), { [scheme.name]: [] }]
}
