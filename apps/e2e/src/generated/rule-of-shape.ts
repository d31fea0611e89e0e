import { isDeepStrictEqual } from 'node:util'

/** A shape of zod, as far as it is looked into here. */
export interface Shape {
  readonly _zod: { readonly def: object }
}

/** One place of a shape under every reading: where all that may be is optional, and where one point is required. */
export interface Place {
  readonly loose: Shape
  readonly strict: Readonly<Record<string, Shape>>
}

/** What of zod's definitions is understood, by type or check. Anything else stops the generation. */
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

/**
 * The source text of the rule that finds what a shape finds. `vocabulary` holds, by their names, the constants and
 * functions that a rule may refer to; `used` gets the names that it does refer to.
 * @throws Error where the shape holds anything that no rule is known for.
 */
export function ruleOfShape(place: Place, vocabulary: Readonly<Record<string, unknown>>, used: Set<string>): string {
  const call = (rule: string, ...given: string[]) => {
    used.add(rule)
    return given.length === 0 ? rule : `${rule}(${given.join(', ')})`
  }
  const nameOf = (what: string, fits: (value: unknown) => boolean) => {
    const name = Object.keys(vocabulary).find(each => fits(vocabulary[each]))
    if (name === undefined) throw new Error(`Export ${what} from the contract: a rule can refer to it by name alone.`)
    used.add(name)
    return name
  }

  function ruleAt({ loose, strict }: Place, indent: string): string {
    const def = definitionOf(loose)
    const below = (of: (shape: Shape) => Shape): Place => ({ loose: of(loose), strict: eachOf(strict, of) })
    const required = Object.keys(strict).filter(point => definitionOf(strict[point] as Shape).type !== def.type)
    if (def.type === 'optional') {
      const inner = ruleAt(
        below(shape => (definitionOf(shape).type === 'optional' ? innerOf(shape) : shape)),
        indent,
      )
      if (required.length > 1) throw new Error('A field must depend on one point of the reading at most.')
      return required.length === 0 ? call('optional', inner) : call('optionalBy', `'${required[0]}'`, inner)
    }
    if (required.length > 0) throw new Error('A reading may make a field optional, and nothing else of it.')
    switch (def.type) {
      case 'default':
        return call('optional', ruleAt(below(innerOf), indent))
      case 'nullable':
        return call('nullable', ruleAt(below(innerOf), indent))
      case 'array':
        return call('list', ruleAt(below(elementOf), indent))
      case 'object': {
        const fields = Object.keys(fieldsOf(loose)).map(name => {
          const rule = ruleAt(
            below(shape => fieldsOf(shape)[name] as Shape),
            `${indent}  `,
          )
          return `${indent}  ${name}: ${rule},\n`
        })
        const whole = checksOf(def).map(wholeRule)
        oneOfAll(loose, strict, each => `${Object.keys(fieldsOf(each))} ${checksOf(definitionOf(each)).map(wholeRule)}`)
        // Zod skips a check of an object once a number in it is no integer, and runs it after any other issue.
        if (whole.length > 0 && /\binteger\(/.test(fields.join(''))) throw unknown('a check of an object with a number')
        return call('object', `{\n${fields.join('')}${indent}}`, ...whole)
      }
      default:
        return oneOfAll(loose, strict, each => leaf(definitionOf(each)))
    }
  }

  function leaf(def: Definition): string {
    const checks = checksOf(def)
    switch (def.type) {
      case 'boolean':
        return call('boolean')
      case 'enum': {
        const words = Object.values(def.entries as object)
        return call(
          'oneOf',
          nameOf(`the words ${words.join(', ')}`, value => isDeepStrictEqual(value, words)),
        )
      }
      case 'number': {
        if (def.format !== 'safeint') throw unknown('a number that is no integer')
        const bound = (kind: string) => checks.filter(each => each.check === kind && each.inclusive === true)
        const [[min], [max]] = [bound('greater_than'), bound('less_than')]
        if (checks.length !== (min ? 1 : 0) + (max ? 1 : 0)) throw unknown('a check of a number')
        return checks.length === 0 ? call('integer', '') : call('integer', `${min?.value}`, `${max?.value}`)
      }
      case 'string':
        return textRule(def, checks)
      default:
        throw unknown(`the type ${def.type}`)
    }
  }

  function textRule({ format, fn, pattern }: Definition, checks: readonly Definition[]): string {
    const filled = checks.length === 1 && checks[0]?.check === 'min_length' && checks[0].minimum === 1
    if (checks.length > 0 && (!filled || format !== undefined)) throw unknown('a check of a text')
    if (format === undefined) return call(filled ? 'filledText' : 'text')
    if (pattern instanceof RegExp) return call('pattern', `'${format}'`, `${pattern}`)
    return call(
      'format',
      `'${format}'`,
      nameOf(`what tells the format ${format}`, value => value === fn),
    )
  }

  /** What must hold of an object as a whole: it is known by its function, and stands there with its field and issue. */
  function wholeRule({ check, fn, path, error, when }: Definition): string {
    if (check !== 'custom') throw unknown('a check of an object')
    const name = nameOf('what must hold of an object', value => (value as { holds?: unknown } | null)?.holds === fn)
    const { field, issue } = vocabulary[name] as { field: string; issue: string }
    const runs = (value: unknown) => (when as (payload: object) => boolean)({ value, issues: [{}] })
    if (
      !isDeepStrictEqual([path, (error as () => unknown)()], [[field], issue]) ||
      !runs({}) ||
      !runs([]) ||
      runs(null)
    )
      throw unknown('a check of an object that has another field or issue, or does not always run')
    return name
  }

  return ruleAt(place, '  ')
}

/** What is the same under every reading. */
function oneOfAll(loose: Shape, strict: Place['strict'], of: (shape: Shape) => string): string {
  const found = of(loose)
  if (Object.values(strict).some(each => of(each) !== found))
    throw new Error('A reading may not change what a field takes.')
  return found
}

function definitionOf({ _zod: { def } }: Shape): Definition {
  return checked(def as Definition, 'type')
}

function checksOf({ checks = [] }: Definition): readonly Definition[] {
  return (checks as readonly Shape[]).map(each => checked(each._zod.def as Definition, 'check'))
}

/** A definition of which every property is understood. */
function checked(def: Definition, kind: 'type' | 'check'): Definition {
  const known = understood[String(def[kind])]
  const strange = Object.keys(def).filter(key => key !== kind && !known?.includes(key) && def[key] !== false)
  if (!known || strange.length > 0) throw unknown(`${def[kind]} with ${strange.join(', ')}`)
  return def
}

const innerOf = (shape: Shape) => definitionOf(shape).innerType as Shape
const elementOf = (shape: Shape) => definitionOf(shape).element as Shape
const fieldsOf = (shape: Shape) => definitionOf(shape).shape as Readonly<Record<string, Shape>>

function eachOf<Value>(record: Readonly<Record<string, Value>>, of: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value)]))
}

function unknown(what: string): Error {
  return new Error(`No rule is known for ${what}: teach it to the rules of the contract first.`)
}
