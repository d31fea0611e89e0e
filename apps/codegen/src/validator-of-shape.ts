import { isDeepStrictEqual } from 'node:util'

/** A shape of zod, as far as its internals are read: this file is the only one that reads them. */
export interface Shape {
  readonly _zod: { readonly def: object }
}

/** One place of a shape under every interpretation: with all open points optional, and with each of them required. */
export interface Place {
  readonly loose: Shape
  readonly strict: Readonly<Record<string, Shape>>
}

/** The properties of zod's definitions that are understood, by type or check. Any other one stops the generation. */
const understood: Readonly<Record<string, readonly string[]>> = {
  optional: ['innerType'],
  nullable: ['innerType'],
  default: ['innerType', 'defaultValue'],
  array: ['element'],
  object: ['shape', 'checks'],
  boolean: [],
  enum: ['entries'],
  string: ['check', 'format', 'fn', 'pattern', 'checks'],
  number: ['check', 'format', 'checks'],
  min_length: ['minimum', 'when'],
  greater_than: ['value', 'inclusive'],
  less_than: ['value', 'inclusive'],
  custom: ['type', 'fn', 'path', 'when', 'error'],
}

type Definition = Readonly<Record<string, unknown>>
type Vocabulary = Readonly<Record<string, unknown>>

/**
 * The source text of the validator that finds what a shape finds. `vocabulary` holds, by their names, the constants and
 * functions that a validator may refer to; `used` gets the names that it does refer to.
 * @throws Error where no validator is known for a part of the shape.
 */
export function validatorOfShape(place: Place, vocabulary: Vocabulary, used: Set<string>): string {
  return new ValidatorWriter(vocabulary, used).validator(place, '  ')
}

class ValidatorWriter {
  readonly #vocabulary: Vocabulary
  readonly #used: Set<string>

  constructor(vocabulary: Vocabulary, used: Set<string>) {
    this.#vocabulary = vocabulary
    this.#used = used
  }

  validator(place: Place, indent: string): string {
    const { loose, strict } = place
    const def = definitionOf(loose)
    const required = Object.keys(strict).filter(point => definitionOf(strict[point] as Shape).type !== def.type)
    if (def.type === 'optional') return this.#optional(place, required, indent)
    if (required.length > 0) throw new Error('An interpretation may make a field optional, and change nothing else.')
    switch (def.type) {
      case 'default':
        return this.#call('optional', this.validator(below(place, innerOf), indent))
      case 'nullable':
        return this.#call('nullable', this.validator(below(place, innerOf), indent))
      case 'array':
        return this.#call('list', this.validator(below(place, elementOf), indent))
      case 'object':
        return this.#object(place, indent)
      default:
        return sameUnderAll(place, each => this.#leaf(definitionOf(each)))
    }
  }

  #optional(place: Place, required: readonly string[], indent: string): string {
    const isOptional = (shape: Shape) => definitionOf(shape).type === 'optional'
    const inner = this.validator(
      below(place, shape => (isOptional(shape) ? innerOf(shape) : shape)),
      indent,
    )
    const [point, ...others] = required
    if (others.length > 0) throw new Error('A field may depend on one point of the interpretation at most.')
    return point === undefined ? this.#call('optional', inner) : this.#call('optionalBy', `'${point}'`, inner)
  }

  #object(place: Place, indent: string): string {
    const conditions = (shape: Shape) => checksOf(definitionOf(shape)).map(check => this.#condition(check))
    const fields = Object.keys(fieldsOf(place.loose)).map(name => {
      const field = below(place, shape => fieldsOf(shape)[name] as Shape)
      return `${indent}  ${name}: ${this.validator(field, `${indent}  `)},\n`
    })
    sameUnderAll(place, each => `${Object.keys(fieldsOf(each))} ${conditions(each)}`)
    const condition = conditions(place.loose)
    // Zod skips a check of an object once a number in it is no integer, and runs it after any other issue.
    if (condition.length > 0 && /\binteger\(/.test(fields.join(''))) throw unknown('a check of an object with a number')
    return this.#call('object', `{\n${fields.join('')}${indent}}`, ...condition)
  }

  #leaf(def: Definition): string {
    switch (def.type) {
      case 'boolean':
        return this.#call('boolean')
      case 'enum': {
        const values = Object.values(def.entries as object)
        const isThese = (value: unknown) => isDeepStrictEqual(value, values)
        return this.#call('oneOf', this.#nameOf(`the values ${values.join(', ')}`, isThese))
      }
      case 'number':
        return this.#integer(def)
      case 'string':
        return this.#text(def)
      default:
        throw unknown(`the type ${def.type}`)
    }
  }

  #integer(def: Definition): string {
    if (def.format !== 'safeint') throw unknown('a number that is no integer')
    const checks = checksOf(def)
    const bound = (kind: string) => checks.filter(each => each.check === kind && each.inclusive === true)
    const [[min], [max]] = [bound('greater_than'), bound('less_than')]
    if (checks.length !== (min ? 1 : 0) + (max ? 1 : 0)) throw unknown('a check of a number')
    return checks.length === 0 ? this.#call('integer', '') : this.#call('integer', `${min?.value}`, `${max?.value}`)
  }

  #text(def: Definition): string {
    const { format, fn, pattern } = def
    const checks = checksOf(def)
    const filled = checks.length === 1 && checks[0]?.check === 'min_length' && checks[0].minimum === 1
    if (checks.length > 0 && (!filled || format !== undefined)) throw unknown('a check of a text')
    if (format === undefined) return this.#call(filled ? 'filledText' : 'text')
    if (pattern instanceof RegExp) return this.#call('pattern', `'${format}'`, `${pattern}`)
    const isTest = (value: unknown) => value === fn
    return this.#call('format', `'${format}'`, this.#nameOf(`the test of the format ${format}`, isTest))
  }

  /** A condition on an object is known by its function; its field and its issue must be those of the vocabulary. */
  #condition({ check, fn, path, error, when }: Definition): string {
    if (check !== 'custom') throw unknown('a check of an object')
    const holds = (value: unknown) => (value as { holds?: unknown } | null)?.holds === fn
    const name = this.#nameOf('the condition on an object', holds)
    const { field, issue } = this.#vocabulary[name] as { field: string; issue: string }
    const runs = (value: unknown) => (when as (payload: object) => boolean)({ value, issues: [{}] })
    const isSame = isDeepStrictEqual([path, (error as () => unknown)()], [[field], issue])
    if (!isSame || !runs({}) || !runs([]) || runs(null))
      throw unknown('a check of an object that has another field or issue, or does not always run')
    return name
  }

  #call(validator: string, ...args: string[]): string {
    this.#used.add(validator)
    return args.length === 0 ? validator : `${validator}(${args.join(', ')})`
  }

  #nameOf(what: string, fits: (value: unknown) => boolean): string {
    const name = Object.keys(this.#vocabulary).find(each => fits(this.#vocabulary[each]))
    if (name === undefined) throw new Error(`Export ${what} from the contract: a validator refers to it by its name.`)
    this.#used.add(name)
    return name
  }
}

/** The text of a part that must be the same under every interpretation. */
function sameUnderAll({ loose, strict }: Place, textOf: (shape: Shape) => string): string {
  const text = textOf(loose)
  if (Object.values(strict).some(each => textOf(each) !== text))
    throw new Error('An interpretation may not change what a field accepts.')
  return text
}

function definitionOf({ _zod: { def } }: Shape): Definition {
  return checked(def as Definition, 'type')
}

function checksOf({ checks = [] }: Definition): readonly Definition[] {
  return (checks as readonly Shape[]).map(each => checked(each._zod.def as Definition, 'check'))
}

/** The definition, once every property of it is understood. */
function checked(def: Definition, kind: 'type' | 'check'): Definition {
  const known = understood[String(def[kind])]
  const strange = Object.keys(def).filter(key => key !== kind && !known?.includes(key) && def[key] !== false)
  if (!known || strange.length > 0) throw unknown(`${def[kind]} with ${strange.join(', ')}`)
  return def
}

const innerOf = (shape: Shape) => definitionOf(shape).innerType as Shape
const elementOf = (shape: Shape) => definitionOf(shape).element as Shape
const fieldsOf = (shape: Shape) => definitionOf(shape).shape as Readonly<Record<string, Shape>>

/** The place one step below, under every interpretation. */
function below({ loose, strict }: Place, step: (shape: Shape) => Shape): Place {
  const stepped = Object.entries(strict).map(([point, shape]) => [point, step(shape)])
  return { loose: step(loose), strict: Object.fromEntries(stepped) }
}

function unknown(what: string): Error {
  return new Error(`No validator is known for ${what}: add it to the validators of the contract first.`)
}
