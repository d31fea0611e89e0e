import type { FieldDescription } from '@lead-distribution/contract'

/** A field of a submission, as the search reads it. */
export interface Field extends Pick<FieldDescription, 'type' | 'format' | 'values'> {
  readonly required: boolean
  readonly nullable: boolean
  /** The fields of an object. */
  readonly fields: ReadonlyMap<string, Field>
  /** The names of its required fields. */
  readonly requiredNames: readonly string[]
  /** What a list holds. */
  readonly items?: Field
}

/** The field of a description, with all fields below it. */
export function fieldOf({ optional, nullable, fields = {}, items, ...accepted }: FieldDescription): Field {
  const children = new Map(Object.entries(fields).map(([name, child]) => [name, fieldOf(child)]))
  return {
    ...accepted,
    required: optional === undefined,
    nullable: nullable === true,
    fields: children,
    requiredNames: [...children].filter(([, { required }]) => required).map(([name]) => name),
    ...(items && { items: fieldOf(items) }),
  }
}

/** The path of a field by names; `0` is any item of a list. */
export type Place = readonly string[]

/** Every place that has a field of a name, by the name's letters. */
export type PlacesByLetters = ReadonlyMap<string, readonly Place[]>

/** The letters of a name in lower case, without what joins its words. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** All fields of a submission, at any depth, by the letters of their names. */
export function placesByLetters(root: Field): PlacesByLetters {
  const places = new Map<string, Place[]>()
  const visit = (field: Field, place: Place) => {
    for (const [name, child] of field.fields) {
      const letters = lettersOf(name)
      places.set(letters, [...(places.get(letters) ?? []), [...place, name]])
      visit(child, [...place, name])
    }
    if (field.items) visit(field.items, [...place, '0'])
  }
  visit(root, [])
  return places
}

/** The places with the fewest steps from another one: up to the parent that both share, and down again. */
export function nearestPlaces(from: Place, places: readonly Place[]): readonly Place[] {
  const steps = places.map(place => {
    const apart = place.findIndex((name, depth) => name !== from[depth])
    return from.length + place.length - 2 * (apart < 0 ? place.length : apart)
  })
  const least = Math.min(...steps)
  return places.filter((_, index) => steps[index] === least)
}
