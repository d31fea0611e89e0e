import { type FieldIssue, isSameJson } from '@lead-distribution/contract'
import { isFields, withValueAt } from './json.ts'

/** The JSON Schema of a lead or of a part of the account, without references. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  /** True if null is allowed. It means none. */
  readonly nullable?: boolean
  readonly description?: string
  readonly readOnly?: boolean
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  /** The format of a text, such as `date`. */
  readonly format?: string
  /** The unit of a number, or of a range's numbers. */
  readonly 'x-unit'?: string
  /** The issue of a text with the wrong format. */
  readonly 'x-issue'?: string
  /** True if the order of a list matters. */
  readonly 'x-ordered'?: boolean
}

/** A field of an object. */
export interface Field {
  readonly path: readonly string[]
  readonly schema: Schema
  readonly required: boolean
}

/** Returns the fields of the object at a path. If `isFlat`, an inner object is replaced by its fields. */
export function fieldsOf(schema: Schema, isFlat = false, path: Field['path'] = []): readonly Field[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, own]) => {
    const at = [...path, name]
    if (isFlat && own.properties) return fieldsOf(own, isFlat, at)
    return { path: at, schema: own, required: required.includes(name) }
  })
}

/**
 * Reads the shape of a change of the account from the OpenAPI document of the control plane, so that a new field appears
 * in its form automatically.
 * @throws Error if the document doesn't declare it.
 */
export function accountShape(document: unknown): Schema {
  const { components } = Object(document) as { components?: { schemas?: Readonly<Record<string, object>> } }
  const schemas = components?.schemas
  if (!schemas?.ChangeTenantInput)
    throw new Error("The control plane's OpenAPI document doesn't describe the account. Reload the page.")
  return resolve(schemas.ChangeTenantInput, schemas)
}

/** Replaces the references of a schema, and `null` as one of two types. */
function resolve(schema: object, schemas: Readonly<Record<string, object>>): Schema {
  const { $ref, anyOf, type, properties, items, ...others } = schema as {
    readonly $ref?: string
    readonly anyOf?: readonly { readonly type?: string }[]
    readonly type?: string | readonly string[]
    readonly properties?: Readonly<Record<string, object>>
    readonly items?: object
  }
  const named = schemas[$ref?.split('/').at(-1) ?? '']
  if (named) return { ...resolve(named, schemas), ...others }
  const [only, ...more] = anyOf?.filter(each => each.type !== 'null') ?? []
  if (only && more.length === 0) return { ...resolve(only, schemas), ...others, nullable: true }
  const types = [type ?? []].flat()
  const [own] = types.filter(each => each !== 'null')
  const resolved = Object.entries(properties ?? {}).map(([name, each]) => [name, resolve(each, schemas)])
  return {
    ...others,
    ...(own !== undefined && { type: own as NonNullable<Schema['type']> }),
    ...(types.includes('null') && { nullable: true }),
    ...(properties && { properties: Object.fromEntries(resolved) }),
    ...(items && { items: resolve(items, schemas) }),
  }
}

/** Returns the schema at a path such as `['products', '0']`. */
export function schemaAt(schema: Schema, path: Field['path']): Schema {
  return path.reduce((at, name) => at.properties?.[name] ?? at.items ?? {}, schema)
}

/** Requires the fields that have a value, because a change can replace it, but not remove it. */
export function keeping(schema: Schema, value: unknown): Schema {
  if (!isFields(value) || !schema.properties) return schema
  const properties = Object.entries(schema.properties).map(([name, each]) => [name, keeping(each, value[name])])
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: [...new Set([...(schema.required ?? []), ...Object.keys(value)])],
  }
}

/** Returns a value's issues by field path, spelled like the control plane. */
export function issuesOf(schema: Schema, value: unknown, path = ''): FieldIssue[] {
  const below = (name: string | number) => (path ? `${path}.${name}` : String(name))
  const issue = valueIssue(schema, value)
  if (issue !== undefined) return [{ field: path, issue }]
  if (Array.isArray(value)) return value.flatMap((item, index) => issuesOf(schema.items ?? {}, item, below(index)))
  if (!isFields(value)) return []
  const { properties = {}, required = [] } = schema
  return [
    ...required.filter(name => value[name] === undefined).map(name => ({ field: below(name), issue: 'is required' })),
    ...Object.entries(value).flatMap(([name, each]) => {
      const property = properties[name]
      return property ? issuesOf(property, each, below(name)) : [{ field: below(name), issue: 'is unknown' }]
    }),
  ]
}

/** Returns the issue of a value itself, without its fields and items. */
function valueIssue(schema: Schema, value: unknown): string | undefined {
  if (value === null && schema.nullable) return undefined
  switch (schema.type) {
    case 'object':
      return isFields(value) ? undefined : 'must be an object'
    case 'array':
      return Array.isArray(value) ? listIssue(schema, value) : 'must be a list'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'string':
      return typeof value === 'string' ? textIssue(schema, value) : 'must be a text'
    case 'integer':
    case 'number':
      return numberIssue(schema, value)
    default:
      return undefined
  }
}

function listIssue({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Schema, list: readonly unknown[]) {
  if (list.length < minItems) return `must have at least ${minItems}`
  return list.length > maxItems ? `must have at most ${maxItems}` : undefined
}

function textIssue(schema: Schema, text: string): string | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema
  if (schema.enum) return schema.enum.includes(text) ? undefined : `must be one of ${schema.enum.join(', ')}`
  if (text.length < minLength)
    return minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`
  if (text.length > maxLength) return `must have at most ${maxLength} characters`
  if (pattern === undefined || new RegExp(pattern).test(text)) return undefined
  return schema['x-issue'] ?? `must match ${pattern}`
}

function numberIssue({ type, minimum, maximum }: Schema, value: unknown): string | undefined {
  if (typeof value !== 'number' || (type === 'integer' && !Number.isSafeInteger(value))) return 'must be a whole number'
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined
}

/** A new value of a field, and the value that it replaces. Undefined leaves the field out. */
export interface Edit {
  readonly path: readonly string[]
  readonly before: unknown
  readonly value: unknown
}

/** Returns the edits between two values. A list, or an object that requires all of its fields, is one value. */
export function editsBetween(schema: Schema, before: unknown, value: unknown, path: readonly string[] = []): Edit[] {
  if (isSameJson(before, value)) return []
  if (!isMerged(schema) || !isFields(before) || !isFields(value)) return [{ path, before, value }]
  const names = new Set([...Object.keys(before), ...Object.keys(value)])
  return [...names].flatMap(name =>
    editsBetween(schema.properties?.[name] ?? {}, before[name], value[name], [...path, name]),
  )
}

/** Applies edits to a value. */
export function withEdits(value: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce((onto, edit) => withValueAt(onto, edit.path, edit.value), value)
}

/** Returns true if a change may contain only some of the fields. */
function isMerged({ properties, required = [] }: Schema): boolean {
  return properties !== undefined && required.length < Object.keys(properties).length
}
