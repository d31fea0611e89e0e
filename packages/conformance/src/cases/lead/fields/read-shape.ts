/** What a field takes. */
export type FieldKind =
  | 'object'
  | 'list'
  | 'text'
  | 'filled_text'
  | 'integer'
  | 'boolean'
  | 'word'
  | 'uuid'
  | 'date'
  | 'date-time'
  | 'uri'
  | 'email'
  | 'ipv4'

/** One field of a shape of the contract. */
export interface ShapeField {
  /** Where it stands in the body, dotted; an element of a list has a number. */
  readonly path: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly isNullable: boolean
  /** The words of an enumeration. */
  readonly words?: readonly string[]
  /** The bounds of an integer, both inclusive, where it has some. */
  readonly min?: number
  readonly max?: number
}

/** A shape of zod, as far as it is looked into here. */
interface Shape {
  readonly _zod: { readonly def: object }
}

/** The element of a list that its fields are told of: in front of it stand those that make the body valid. */
const elementOf: Readonly<Record<string, number>> = { 'consents.entries': 2 }

/** Every field below a shape, parents before children. */
export function fieldsOfShape(shape: Shape, parent = ''): ShapeField[] {
  const fields = Object.entries(definitionOf(shape).shape ?? {}) as [string, Shape][]
  return fields.flatMap(([name, field]) => fieldAt(field, parent === '' ? name : `${parent}.${name}`))
}

function fieldAt(shape: Shape, path: string): ShapeField[] {
  let [isRequired, isNullable, inner] = [true, false, shape]
  for (let def = definitionOf(inner); def.innerType; def = definitionOf(inner)) {
    if (def.type === 'nullable') isNullable = true
    else isRequired = false
    inner = def.innerType
  }
  const def = definitionOf(inner)
  const field = { path, isRequired, isNullable, ...takenBy(def) }
  if (def.type === 'object') return [field, ...fieldsOfShape(inner, path)]
  if (def.type !== 'array') return [field]
  const element = { ...field, path: `${path}.${elementOf[path] ?? 0}`, kind: 'object' as const, isRequired: false }
  return [field, element, ...fieldsOfShape(def.element as Shape, element.path)]
}

interface Definition {
  readonly type: string
  readonly format?: string
  readonly shape?: object
  readonly innerType?: Shape
  readonly element?: Shape
  readonly entries?: Readonly<Record<string, string>>
  readonly checks?: readonly Shape[]
  readonly check?: string
  readonly value?: number
}

const definitionOf = (shape: Shape) => shape._zod.def as Definition

/** What a definition takes. */
function takenBy({
  type,
  format,
  entries,
  checks = [],
}: Definition): Omit<ShapeField, 'path' | 'isRequired' | 'isNullable'> {
  const bound = (check: string) => checks.map(definitionOf).find(each => each.check === check)?.value
  switch (type) {
    case 'object':
    case 'boolean':
      return { kind: type }
    case 'array':
      return { kind: 'list' }
    case 'enum':
      return { kind: 'word', words: Object.values(entries ?? {}) }
    case 'number': {
      const [min, max] = [bound('greater_than'), bound('less_than')]
      return { kind: 'integer', ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
    }
    case 'string':
      return { kind: (format as FieldKind | undefined) ?? (checks.length > 0 ? 'filled_text' : 'text') }
    default:
      throw new Error(`No field is known that has the type ${type}: teach it to the cases of the fields.`)
  }
}
