import { isLeadStatus } from '@lead-distribution/contract'
import type { Callback } from '@lead-distribution/control-client'
import type { CoverageItem } from './coverage-links.ts'
import type { JournalEntry } from './entries.ts'

/** The last time that an item was seen, and the request or callback that showed it, as the end of its address. */
export interface LastSeen {
  readonly at: string
  readonly path: string
}

/** Returns an item's key. */
export const keyOf = ({ kind, name }: Pick<CoverageItem, 'kind' | 'name'>) => `${kind}/${name}`

/** Returns when items were last seen, by key. Both lists are newest first. An item that only older ones show is missing. */
export function lastSeen(
  entries: readonly JournalEntry[],
  callbacks: readonly Callback[],
): ReadonlyMap<string, LastSeen> {
  const seen = new Map<string, LastSeen>()
  const note = (key: string, at: string, path: string) => {
    const other = seen.get(key)
    if (!other || Date.parse(at) > Date.parse(other.at)) seen.set(key, { at, path })
  }
  for (const entry of entries) for (const key of shownBy(entry)) note(key, entry.at, `requests/${entry.request_id}`)
  for (const { callback_id, state, attempts, resent_after = 0 } of callbacks) {
    const last = attempts.at(-1)
    if (!last) continue
    if (state !== 'pending') note(`callback/${state}`, last.at, `callbacks/${callback_id}`)
    // The first attempt, and one that was requested, is not a retry.
    if (attempts.length > resent_after + 1) note('callback/retried', last.at, `callbacks/${callback_id}`)
  }
  return seen
}

/** Returns the keys of what a request shows, as the coverage counts it. */
function shownBy({ operation, outcome, reason, event, status }: JournalEntry): string[] {
  if (event !== undefined) return [`event/${event}`]
  const isDecided = operation === 'submitLead' && (status === 200 || status === 0) && isLeadStatus(outcome)
  if (!isDecided) return [`error/${outcome}`]
  return [`outcome/${outcome}`, ...(reason === undefined ? [] : [`reason/${reason}`])]
}
