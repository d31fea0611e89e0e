import type { InfiniteData } from '@tanstack/react-query'

/** A page of a control-plane list, newest first. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  /** The cursor of the next page. Undefined if there are no older entries. */
  readonly next?: string | undefined
}

/** The loaded pages of a list, each with its cursor. The first page's cursor is empty. */
export type Pages<Entry> = InfiniteData<Page<Entry>, string>

type IdOf<Entry> = (entry: Entry) => string

/** The maximum length of a list scrolled to its top. Older entries are refetched on scrolling. */
const maxFollowed = 200

/** Starts a list with its newest page. */
export const beginPages = <Entry>(newest: Page<Entry>): Pages<Entry> => ({ pages: [newest], pageParams: [''] })

/**
 * Merges the newest page into the top of a list, before the entries that it doesn't cover. The list starts over if there is a
 * gap between them.
 */
export function followPages<Entry>(pages: Pages<Entry>, newest: Page<Entry>, idOf: IdOf<Entry>): Pages<Entry> {
  const isKnown = pages.pages[0] === newest
  // A search's page covers a part of the list, and may be empty.
  const isEmptySearch = newest.entries.length === 0 && newest.next !== undefined
  if (isKnown || isEmptySearch) return pages
  const entries = pages.pages.flatMap(page => page.entries)
  const last = newest.entries.at(-1)
  const joint = entries.findIndex(entry => last && idOf(entry) === idOf(last))
  const older = entries.slice(joint + 1)
  if (joint < 0 || newest.next === undefined || newest.entries.length + older.length > maxFollowed)
    return beginPages(newest)
  return { pages: [newest, { entries: older, next: pages.pages.at(-1)?.next }], pageParams: ['', newest.next] }
}

/** Compares held entries with the newest page. */
export function compareWithNewest<Entry>(entries: readonly Entry[], newest: Page<Entry>, idOf: IdOf<Entry>) {
  const known = new Set(entries.map(idOf))
  const lastKnown = newest.entries.findLastIndex(entry => known.has(idOf(entry)))
  const ahead = lastKnown < 0 ? newest.entries : newest.entries.slice(0, lastKnown)
  const current = new Map(newest.entries.map(entry => [idOf(entry), entry]))
  return {
    /** The same entries in their newest state. */
    updated: entries.map(entry => current.get(idOf(entry)) ?? entry),
    /** The number of newer entries. */
    count: ahead.filter(entry => !known.has(idOf(entry))).length,
    /** True if there may be more than that. */
    isMore: lastKnown < 0 && newest.next !== undefined && newest.entries.length > 0,
    /** True if the tenant has none of the entries any more. */
    isGone: lastKnown < 0 && newest.next === undefined,
  }
}
