/** A page of a list of the control plane, newest first. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  /** The cursor of the next page; undefined where there are no older entries. */
  readonly next?: string | undefined
}

/** The beginning of a list as a view shows it. Older entries follow from `next` on, and are never moved by newer ones. */
export interface Shown<Entry> extends Page<Entry> {
  /** The newest page that was followed. */
  readonly newest: Page<Entry>
  /** True while the reader is away from the top: newer entries are counted, not shown. */
  readonly isHeld: boolean
  /** How many newer entries wait to be shown. */
  readonly news: number
  /** True if there are more of them than were counted. */
  readonly isMoreNews: boolean
}

/** The most entries that a beginning grows to while its reader watches: with more, it begins again. */
const mostShown = 200

/** Begins a list with its newest page. */
export function beginList<Entry>(newest: Page<Entry>): Shown<Entry> {
  return { ...newest, newest, isHeld: false, news: 0, isMoreNews: false }
}

/**
 * Follows a list to its newest page. A reader at its top sees that page; for one who is elsewhere nothing moves: entries
 * are brought up to date where they are, and newer ones are counted.
 */
export function followList<Entry>(
  shown: Shown<Entry>,
  newest: Page<Entry>,
  idOf: (entry: Entry) => string,
): Shown<Entry> {
  const placeOf = new Map(shown.entries.map((entry, place) => [idOf(entry), place]))
  // A search looks at a part of the list at a time: it may have found nothing there, now or before.
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
  if (!isJoined || entries.length > mostShown) return beginList(newest)
  return { ...beginList(newest), entries, next: shown.next }
}
