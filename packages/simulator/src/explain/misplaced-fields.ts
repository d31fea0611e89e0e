import type { Field } from './field-tree.ts'

/** A place of a submission, by the names that lead there; `0` stands for any item of a list. */
export type Place = readonly string[]

/** Every place that has a field of a name, by the name's letters. */
export type PlacesByLetters = ReadonlyMap<string, readonly Place[]>

/** The letters of a name, without its capitals and what joins its words. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** All fields of a submission by the letters of their names, wherever they stand. */
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

/** Of several places those that are the fewest steps away: up to what both share, and down again. */
export function nearestPlaces(from: Place, places: readonly Place[]): readonly Place[] {
  const steps = places.map(place => {
    const apart = place.findIndex((name, depth) => name !== from[depth])
    return from.length + place.length - 2 * (apart < 0 ? place.length : apart)
  })
  const least = Math.min(...steps)
  return places.filter((_, index) => steps[index] === least)
}
