/** A page of a list of the control plane, newest first. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  /** The cursor of the next page. Undefined if there are no older entries. */
  readonly next?: string | undefined
}

/** The start of a list as a view shows it. Older entries follow from `next` and are never moved by newer ones. */
export interface Shown<Entry> extends Page<Entry> {
  /** The newest page so far. */
  readonly newest: Page<Entry>
  /** True while the reader is away from the top. Newer entries are then counted, not shown. */
  readonly isHeld: boolean
  /** The number of newer entries that aren't shown. */
  readonly news: number
  /** True if there are more than that. */
  readonly isMoreNews: boolean
}

/** The number of entries to which the start grows. Beyond it, the list starts over. */
const maxShown = 200

/** Starts a list with its newest page. */
export function beginList<Entry>(newest: Page<Entry>): Shown<Entry> {
  return { ...newest, newest, isHeld: false, news: 0, isMoreNews: false }
}

/**
 * Updates a list to its newest page. A reader at the top sees that page. For a reader further down nothing moves: entries
 * are updated in place, and newer ones are counted.
 */
export function followList<Entry>(
  shown: Shown<Entry>,
  newest: Page<Entry>,
  idOf: (entry: Entry) => string,
): Shown<Entry> {
  const placeOf = new Map(shown.entries.map((entry, place) => [idOf(entry), place]))
  // A search covers part of the list at a time and may have found nothing there, now or before.
  const isSearch = newest.entries.length === 0 || shown.entries.length === 0
  if (shown.isHeld) {
    const lastKnown = newest.entries.findLastIndex(entry => placeOf.has(idOf(entry)))
    if (newest.next === undefined && lastKnown < 0) return beginList(newest)
    const current = new Map(newest.entries.map(entry => [idOf(entry), entry]))
    const ahead = lastKnown < 0 ? newest.entries : newest.entries.slice(0, lastKnown)
    return {
      ...shown,
      newest,
      entries: shown.entries.map(entry => current.get(idOf(entry)) ?? entry),
      news: ahead.filter(entry => !placeOf.has(idOf(entry))).length,
      isMoreNews: lastKnown < 0 && !isSearch,
    }
  }
  const last = newest.entries.at(-1)
  const joint = last && placeOf.get(idOf(last))
  const entries = [...newest.entries, ...shown.entries.slice(joint === undefined ? 0 : joint + 1)]
  const isJoined = newest.next !== undefined && (joint !== undefined || isSearch)
  if (!isJoined || entries.length > maxShown) return beginList(newest)
  return { ...beginList(newest), entries, next: shown.next }
}
