import { isDeepStrictEqual } from 'node:util'
import type { FieldDescription } from '@lead-distribution/contract'

/** A field under every interpretation: with all open points optional, and with each of them required. */
export interface Place {
  readonly loose: FieldDescription
  readonly strict: Readonly<Record<string, FieldDescription>>
}

type Vocabulary = Readonly<Record<string, unknown>>

/**
 * The source text of the validator that accepts what a field accepts. `vocabulary` holds, by their names, the constants
 * and functions that a validator may refer to; `used` gets the names that it does refer to.
 * @throws Error where an interpretation changes more than whether a field is required, or a name is missing.
 */
export function validatorOf(place: Place, vocabulary: Vocabulary, used: Set<string>): string {
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
    const { loose } = place
    const requiring = pointsThatRequire(place)
    const accepted = this.#accepted(place, indent)
    const taken = loose.nullable ? this.#call('nullable', accepted) : accepted
    if (!loose.optional) return taken
    const [point, ...others] = requiring
    if (others.length > 0) throw new Error('A field may depend on one point of the interpretation at most.')
    return point === undefined ? this.#call('optional', taken) : this.#call('optionalBy', `'${point}'`, taken)
  }

  #accepted(place: Place, indent: string): string {
    const { type, filled, format, values = [], min, max, maxItems } = place.loose
    switch (type) {
      case 'object':
        return this.#object(place, indent)
      case 'list':
        return this.#call(
          'list',
          this.validator(
            below(place, ({ items }) => items),
            indent,
          ),
          `${maxItems}`,
        )
      case 'enum': {
        const isThese = (value: unknown) => isDeepStrictEqual(value, values)
        return this.#call('oneOf', this.#nameOf(`the values ${values.join(', ')}`, isThese))
      }
      case 'integer':
        if (min === undefined && max === undefined) return this.#call('integer', '')
        return this.#call('integer', `${min}`, `${max}`)
      case 'text': {
        if (!format) return this.#call(filled ? 'filledText' : 'text')
        const { name, pattern, fits } = format
        if (pattern) return this.#call('pattern', `'${name}'`, `${pattern}`)
        const isTest = (value: unknown) => value === fits
        return this.#call('format', `'${name}'`, this.#nameOf(`the test of the format ${name}`, isTest))
      }
      case 'boolean':
        return this.#call('boolean')
    }
  }

  #object(place: Place, indent: string): string {
    const { fields = {}, condition } = place.loose
    const lines = Object.keys(fields).map(name => {
      const field = below(place, each => each.fields?.[name])
      return `${indent}  ${name}: ${this.validator(field, `${indent}  `)},\n`
    })
    const object = `{\n${lines.join('')}${indent}}`
    if (!condition) return this.#call('object', object)
    // Zod skips a check of an object once a number in it is no integer, and runs it after any other issue.
    if (/\binteger\(/.test(object)) throw new Error('No validator is known for a condition on an object with a number.')
    const isCondition = (value: unknown) => {
      const { field, issue, holds } = (value ?? {}) as Partial<typeof condition>
      return field === condition.field && issue === condition.issue && holds === condition.holds
    }
    return this.#call('object', object, this.#nameOf('the condition on an object', isCondition))
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

/** The open points that make the field required; they must change nothing else of it. */
function pointsThatRequire({ loose, strict }: Place): string[] {
  return Object.entries(strict).flatMap(([point, field]) => {
    const isRequired = loose.optional === true && field.optional === undefined
    if (!isDeepStrictEqual(ownOf(isRequired ? { ...field, optional: true } : field), ownOf(loose)))
      throw new Error('An interpretation may make a field required, and change nothing else.')
    return isRequired ? [point] : []
  })
}

/** A field without what is below it; a format by its name, because each shape has its own test. */
function ownOf({ fields, items, format, ...own }: FieldDescription) {
  return { ...own, format: format?.name, fields: Object.keys(fields ?? {}), hasItems: items !== undefined }
}

/** The place one step below, under every interpretation. */
function below({ loose, strict }: Place, step: (field: FieldDescription) => FieldDescription | undefined): Place {
  const stepped = Object.entries(strict).map(([point, field]) => [point, step(field)])
  return { loose: step(loose) as FieldDescription, strict: Object.fromEntries(stepped) }
}
