import { closest } from '../closest-name.ts'
import { type Field, lettersOf, nearestPlaces, type Place, type PlacesByLetters } from './fields.ts'
import type { NearMiss } from './near-miss.ts'
import { valueHint } from './value-hint.ts'

/** How many values the search may still visit: it does not read a body of many thousand fields to its end. */
export interface Budget {
  values: number
}

/** A value of a submission: the path it was sent at, and the place of the field that it is taken for. */
interface Sent {
  readonly value: unknown
  readonly field: Field
  readonly path: readonly string[]
  readonly place: Place
}

/**
 * The near misses of a body's shape, in the order of the body. The search follows only known fields, so its depth is
 * theirs; it follows a misspelt field as the one that was meant.
 */
export function* shapeMisses(body: unknown, root: Field, places: PlacesByLetters, budget: Budget): Generator<NearMiss> {
  yield* visit({ value: body, field: root, path: [], place: [] })

  function* visit(sent: Sent): Generator<NearMiss> {
    if (budget.values-- <= 0) return
    const { value, field, path, place } = sent
    const hint = valueHint(value, field)
    if (hint !== undefined) yield miss(path, hint)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value) !== (field.type === 'list')) return
    for (const key in value) {
      if (budget.values <= 0) return
      const child = { value: Reflect.get(value, key), path: [...path, key] }
      const known = field.items ?? field.fields.get(key)
      if (known) yield* visit({ ...child, field: known, place: [...place, field.items ? '0' : key] })
      else yield* unknownField(child, sent, key)
    }
  }

  function* unknownField(child: Pick<Sent, 'value' | 'path'>, parent: Sent, key: string): Generator<NearMiss> {
    budget.values--
    if (!nameLike.test(key)) return
    const { field, place, value } = parent
    // A field that is there already was not meant by another name.
    const missing = [...field.fields.keys()].filter(name => !Object.hasOwn(value as object, name))
    const meant = closest(key, missing)
    const meantField = meant === undefined ? undefined : field.fields.get(meant)
    if (meant !== undefined && meantField) {
      yield miss(child.path, `is unknown, did you mean \`${meant}\`?`)
      yield* visit({ ...child, field: meantField, place: [...place, meant] })
      return
    }
    const elsewhere = misplaced(key, place, child.value)
    if (elsewhere.length > 0) yield miss(child.path, `is unknown here, did you mean ${elsewhere.join(' or ')}?`)
  }

  /**
   * The places of a name that is at the wrong place. Its letters must be right: another place and a misspelling are too
   * much of a guess. A text in place of an object is the one text that the object requires.
   */
  function misplaced(key: string, from: Place, value: unknown): string[] {
    return nearestPlaces(from, places.get(lettersOf(key)) ?? [])
      .slice(0, 3)
      .map(place => `\`${[...place, ...neededText(place, value)].join('.')}\``)
  }

  function neededText(place: Place, value: unknown): string[] {
    const field = place.reduce<Field | undefined>((at, name) => (at?.items ? at.items : at?.fields.get(name)), root)
    const [only] = field?.requiredNames ?? []
    return typeof value === 'string' && field?.requiredNames.length === 1 && only !== undefined ? [only] : []
  }
}

/** The names that a hint may repeat: none that could be a value, or move a terminal's cursor. */
const nameLike = /^[A-Za-z][\w -]{0,63}$/

function miss(path: readonly string[], rest: string): NearMiss {
  const field = path.join('.') || 'body'
  return { check: 'shape', field, message: `\`${field}\` ${rest}` }
}
