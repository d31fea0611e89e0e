/** How many entries of a list come where nobody says. */
export const defaultLimit = 50

/** A page of a list: the entries of at most the limit, and what `before` takes for the next page where there is one. */
export function page<Entry>(found: readonly Entry[], limit: number, idOf: (entry: Entry) => string) {
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  return { entries, next: found.length > limit && last !== undefined ? { next: idOf(last) } : {} }
}
