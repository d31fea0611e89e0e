import * as z from 'zod/mini'
import type { $ZodType } from 'zod/v4/core'
import { maxEmailLength } from '../formats.ts'
import type { Operation } from '../operations.ts'

/** The documentation of an interface and its fields. */
export interface Notes {
  /** The meaning of the interface. */
  readonly description: string
  /** The meaning, unit, bounds and default of each field. */
  readonly fields: Readonly<Record<string, string>>
}

/** Notes by the name of the interface, which is also the name of the component. */
export type FieldNotes = Readonly<Record<string, Notes>>

/** A JSON Schema in the OpenAPI 3.1 dialect. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of a document. */
export interface NamedSchemas {
  /** The components of the document. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Returns a reference to the component of a shape. */
  referenceTo(shape: $ZodType): JsonSchema
  /** Returns the schema of a shape, a component or not. */
  schemaOf(shape: $ZodType): JsonSchema
}

/** Fields of components, by component name. */
export type OpenEnumerations = Readonly<Record<string, readonly string[]>>

/** The input to a document's schemas. */
export interface SchemaSources {
  readonly components: Readonly<Record<string, $ZodType>>
  readonly operations: Readonly<Record<string, Operation<string>>>
  readonly notes: FieldNotes
  /** The fields with enumerations that may get more values. */
  readonly openEnumerations: OpenEnumerations
}

/** Gives every shape a name and a schema. Nested named shapes become references. */
export function namedSchemas({ components, operations, notes, openEnumerations }: SchemaSources): NamedSchemas {
  const nameOf = new Map<$ZodType, string>(Object.entries(components).map(([name, shape]) => [shape, name]))
  const asQuery = new Set<string>()
  for (const [operation, { input, reply, in: place }] of Object.entries(operations)) {
    const title = operation.charAt(0).toUpperCase() + operation.slice(1)
    if (input && !nameOf.has(input)) nameOf.set(input, `${title}Input`)
    if (input && place === 'query') asQuery.add(nameOf.get(input) ?? '')
    if (!nameOf.has(reply)) nameOf.set(reply, `${title}Reply`)
  }
  const registry = z.registry<{ id: string }>()
  for (const [shape, id] of nameOf) registry.add(shape, { id })
  const made = z.toJSONSchema(registry, { uri: pointer, io: 'input', unrepresentable: 'any', override: adapt })
  const all = Object.fromEntries(
    Object.entries(made.schemas).map(([name, schema]) => {
      const opened = withOpen(schema as JsonSchema, openEnumerations[name] ?? [])
      return [name, withNotes(opened, notes[name])]
    }),
  )
  const nameOrFail = (shape: $ZodType) => {
    const name = nameOf.get(shape)
    if (name === undefined)
      throw new Error('A shape belongs to no operation and is not a component: add it to the components.')
    return name
  }
  return {
    schemas: Object.fromEntries(Object.entries(all).filter(([name]) => !asQuery.has(name))),
    referenceTo: shape => ({ $ref: pointer(nameOrFail(shape)) }),
    schemaOf: shape => all[nameOrFail(shape)] ?? {},
  }
}

const pointer = (name: string) => `#/components/schemas/${name}`

/** Removes keywords that apply to the shape but not to the document, and adds the issue of an invalid format. */
function adapt({ zodSchema, jsonSchema }: { zodSchema: $ZodType; jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema.type === 'string' && jsonSchema.enum === undefined) {
    const issue = formatIssue(zodSchema)
    if (issue !== undefined) jsonSchema['x-issue'] = issue
  }
  if (jsonSchema.format === 'email') jsonSchema.maxLength = maxEmailLength
  // openapi-typescript would require senders to set a field with a default, so the default stands only in the
  // description.
  delete jsonSchema.default
  // The bounds of exact integers in JavaScript are not the service's.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/**
 * Returns the issue of a text that fails a shape's checks, in the service's words; undefined if the words are zod's.
 */
function formatIssue({ _zod: { def } }: $ZodType): string | undefined {
  for (const { _zod: check } of def.checks ?? []) {
    const issue = check.def.error?.({ code: 'custom', input: '', path: [], params: {} } as never)
    if (typeof issue === 'string') return issue
  }
  return undefined
}

/** Returns the schema of an enumeration that may get more values: a client must not fail on a new one. */
function opened({ anyOf, ...schema }: JsonSchema): JsonSchema {
  return { anyOf: [...(Array.isArray(anyOf) ? anyOf : [schema]), { type: 'string' }] }
}

function withOpen(schema: JsonSchema, fields: readonly string[]): JsonSchema {
  const properties = schema.properties as Record<string, JsonSchema>
  const changed = fields.map(field => [field, opened(properties[field] ?? {})])
  return fields.length === 0 ? schema : { ...schema, properties: { ...properties, ...Object.fromEntries(changed) } }
}

function withNotes({ $schema: _dialect, $id: _id, ...schema }: JsonSchema, notes: Notes | undefined): JsonSchema {
  if (!notes) return schema
  if (!schema.properties) return { description: notes.description, ...schema }
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, property]) => {
    const note = notes.fields[name]
    return [name, note === undefined ? property : { description: note, ...property }]
  })
  return { description: notes.description, ...schema, properties: Object.fromEntries(properties) }
}
