import { closest } from '@lead-distribution/contract'
import type { Field } from './field-tree.ts'
import { lettersOf, nearestPlaces, type Place, type PlacesByLetters } from './misplaced-fields.ts'
import type { NearMiss } from './near-miss.ts'
import { valueHint } from './value-hint.ts'

/** What the search may still look at: a body of many thousand fields is not read to its end. */
export interface Budget {
  values: number
}

/** A value of a submission: where it was sent, and where the field stands that it is read as. */
interface Sent {
  readonly value: unknown
  readonly field: Field
  readonly path: readonly string[]
  readonly place: Place
}

/**
 * The near misses of a body's shape, in the order of the body. Follows the known fields alone, so its depth is
 * theirs. A field that was meant under another name is followed as the one that it was meant for.
 */
export function* shapeMisses(body: unknown, root: Field, places: PlacesByLetters, budget: Budget): Generator<NearMiss> {
  yield* visit({ value: body, field: root, path: [], place: [] })

  function* visit(sent: Sent): Generator<NearMiss> {
    if (budget.values-- <= 0) return
    const { value, field, path, place } = sent
    const hint = valueHint(value, field)
    if (hint !== undefined) yield miss(path, hint)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value) !== (field.type === 'array')) return
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
    // What is there already was not meant by another name.
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
   * Where a name stands that is at the wrong place: its letters must be right, for at another place a slip of the pen
   * is a guess too many. A text for an object is the one text that the object needs.
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

/** What a hint may repeat: nothing that could pass for a value, or move a terminal's cursor. */
const nameLike = /^[A-Za-z][\w -]{0,63}$/

function miss(path: readonly string[], rest: string): NearMiss {
  const field = path.join('.') || 'body'
  return { check: 'shape', field, message: `\`${field}\` ${rest}` }
}
