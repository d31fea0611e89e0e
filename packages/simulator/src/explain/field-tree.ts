import type { Reading } from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'

/** What the contract's shape says of one field of a submission. */
export interface Field {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly required: boolean
  readonly nullable: boolean
  /** The format of a text, by its name in JSON Schema. */
  readonly format: string | undefined
  /** The values of an enumeration. */
  readonly permitted: readonly string[] | undefined
  /** The fields of an object. */
  readonly fields: ReadonlyMap<string, Field>
  /** The names of those that are required. */
  readonly requiredNames: readonly string[]
  /** What an array holds. */
  readonly items: Field | undefined
}

/** The fields of a submission under a reading, from the contract's own shape. */
export function fieldTree(reading: Reading): Field {
  const schema = z.toJSONSchema(leadSubmission(reading), { io: 'input', unrepresentable: 'any' })
  return fieldOf(schema as JsonSchema, true)
}

/** As much of JSON Schema as the shapes of a submission come to. */
interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
}

function fieldOf(schema: JsonSchema, required: boolean): Field {
  const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? [])
  const stated = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  const requiredNames = stated.required ?? []
  return {
    type: types.find(type => type !== 'null') as Field['type'],
    required,
    nullable: types.includes('null'),
    format: stated.format,
    permitted: stated.enum,
    fields: new Map(
      Object.entries(stated.properties ?? {}).map(([name, of]) => [name, fieldOf(of, requiredNames.includes(name))]),
    ),
    requiredNames,
    items: stated.items && fieldOf(stated.items, true),
  }
}
