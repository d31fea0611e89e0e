import type { FieldDescription, ObjectCondition } from './validator.ts'

/** The internals of a zod shape. This is the only file that reads them. */
export interface ZodShape {
  readonly _zod: { readonly def: object }
}

/** The supported properties of zod's definitions, by type or check. Any other is an error. */
const understood: Readonly<Record<string, string>> = {
  optional: 'innerType',
  nullable: 'innerType',
  default: 'innerType defaultValue',
  array: 'element checks',
  object: 'shape checks',
  boolean: '',
  enum: 'entries',
  string: 'check format fn checks',
  number: 'check format checks',
  min_length: 'minimum when',
  max_length: 'maximum when',
  greater_than: 'value inclusive',
  less_than: 'value inclusive',
  custom: 'type fn path when error',
  overwrite: 'tx',
}

type Definition = Readonly<Record<string, unknown>>

/**
 * Describes the values that a shape accepts.
 * @throws Error if the shape contains an unsupported zod definition.
 */
export function describeShape(shape: ZodShape): FieldDescription {
  const def = understand(shape, 'type')
  switch (def.type) {
    case 'optional':
    case 'default':
      return { ...describeShape(def.innerType as ZodShape), optional: true }
    case 'nullable':
      return { ...describeShape(def.innerType as ZodShape), nullable: true }
    case 'array':
      return describeList(def)
    case 'object':
      return describeObject(def)
    case 'enum':
      return { type: 'enum', values: Object.values(def.entries as Record<string, string>) }
    case 'number':
      return describeInteger(def)
    case 'string':
      return describeText(def)
    default:
      return { type: 'boolean' }
  }
}

function describeList(def: Definition): FieldDescription {
  const [bound, ...more] = checksOf(def)
  // Unless the maximum length is the first check, every item of a list of any length would be validated.
  if (bound?.check !== 'max_length' || more.length > 0) throw unsupported('a list without a maximum length')
  return { type: 'list', items: describeShape(def.element as ZodShape), maxItems: bound.maximum as number }
}

function describeObject(def: Definition): FieldDescription {
  const shapes = Object.entries(def.shape as Record<string, ZodShape>)
  const [condition, ...more] = checksOf(def).map(conditionOf)
  if (more.length > 0) throw unsupported('an object with two checks')
  const fields = Object.fromEntries(shapes.map(([name, shape]) => [name, describeShape(shape)]))
  return { type: 'object', fields, ...(condition && { condition }) }
}

function conditionOf({ check, fn, path, error, when }: Definition): ObjectCondition {
  const runs = (value: unknown) => (when as ((payload: object) => boolean) | undefined)?.({ value, issues: [{}] })
  if (check !== 'custom' || !runs({}) || !runs([]) || runs(null))
    throw unsupported('a check of an object that runs only sometimes')
  const [field] = path as string[]
  return { field: field ?? '', issue: (error as () => string)(), holds: fn as ObjectCondition['holds'] }
}

function describeInteger(def: Definition): FieldDescription {
  if (def.format !== 'safeint') throw unsupported('a number that is not an integer')
  const checks = checksOf(def)
  const bounds = (kind: string) => checks.filter(each => each.check === kind && each.inclusive === true)
  const [[min], [max]] = [bounds('greater_than'), bounds('less_than')]
  if (checks.length !== (min ? 1 : 0) + (max ? 1 : 0)) throw unsupported('a check of a number')
  return { type: 'integer', ...(min && { min: min.value as number }), ...(max && { max: max.value as number }) }
}

function describeText(def: Definition): FieldDescription {
  const { format: name, fn } = def as { format?: string; fn?: (text: string) => boolean }
  // An overwrite changes the value and refuses nothing.
  const [check, ...more] = checksOf(def).filter(each => each.check !== 'overwrite')
  const filled = check?.check === 'min_length' && check.minimum === 1
  if (more.length > 0 || (check && (!filled || name !== undefined))) throw unsupported('a check of a text')
  if (name === undefined) return { type: 'text', ...(filled && { filled }) }
  if (!fn) throw unsupported('a format without a test')
  return { type: 'text', format: { name, fits: fn } }
}

function checksOf({ checks = [] }: Definition): readonly Definition[] {
  return (checks as readonly ZodShape[]).map(check => understand(check, 'check'))
}

/**
 * Returns the definition of a type or check.
 * @throws Error if one of its properties is not supported.
 */
function understand({ _zod }: ZodShape, kind: 'type' | 'check'): Definition {
  const def = _zod.def as Definition
  const known = understood[String(def[kind])]?.split(' ')
  const strange = Object.keys(def).filter(key => key !== kind && !known?.includes(key) && def[key] !== false)
  if (!known || strange.length > 0) throw unsupported(`${def[kind]} with ${strange.join(', ')}`)
  return def
}

function unsupported(what: string): Error {
  return new Error(`The validator does not support ${what}: add it to describeShape.`)
}
