import { isLeadStatus } from '@lead-distribution/contract'
import type { Reached } from '@lead-distribution/contract/test-leads'
import type { Account, Callback, TenantControl } from '@lead-distribution/control-client'
import { type Choice, choices } from './draft.ts'
import type { JournalEntry } from './entries.ts'

/** An outcome, reason, error or event that a tenant can produce. */
export type CoverageItem = Awaited<ReturnType<TenantControl['coverage']>>['items'][number]

/** An item's kind and name. */
export type ItemName = Pick<CoverageItem, 'kind' | 'name'>

/** A link to the view that produces an item, with everything filled in: the path below the tenant, and the label. */
export interface WayToSee {
  readonly path: string
  readonly label: string
}

const onALead: WayToSee = { path: 'leads?status=distributed', label: 'Report it on a lead' }

const drop = { operation: 'callback', effect: 'drop', times: '1' }

/** Returns the link to the view that produces an item; undefined if there is none. */
export function wayToSee({ kind, name }: ItemName, { settings }: Pick<Account, 'settings'>): WayToSee | undefined {
  if (kind === 'event') return onALead
  if (kind === 'callback')
    return name === 'delivered' ? onALead : { path: `faults?${new URLSearchParams(drop)}`, label: 'Open in Faults' }
  const fitting = choices.filter(choice => shows(choice, { kind, name }))
  const choice = fitting.find(each => suits(each, settings)) ?? fitting[0]
  return choice && { path: `submit?${new URLSearchParams({ lead: choice.id })}`, label: 'Open in Submit' }
}

/** Returns true if a choice has its outcome under the tenant's settings. */
function suits({ settings: needed = {} }: Choice, settings: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(needed).every(([name, value]) => settings[name] === value)
}

/** Returns true if a submission can produce an item. An unknown key belongs to no tenant, so its error needs a scenario. */
function shows({ label, reaches }: Choice, item: ItemName): boolean {
  if (item.kind === 'error' && item.name === 'unauthorized') return label === 'http_401'
  return reaches ? isReachedBy(reaches, item) : item.kind !== 'error' && label === item.name
}

/** Returns true if a test lead's outcome produces an item. */
export function isReachedBy(reaches: Reached, { kind, name }: ItemName): boolean {
  if ('error' in reaches) return kind === 'error' && reaches.error === name
  if (kind === 'outcome') return reaches.status === name
  return kind === 'reason' && reaches.status === 'rejected' && reaches.rejection_reason === name
}

/** The last time that an item was seen, and the request or callback that showed it, as the end of its address. */
export interface LastSeen {
  readonly at: string
  readonly path: string
}

/** Returns an item's key. */
export const keyOf = ({ kind, name }: ItemName) => `${kind}/${name}`

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
  for (const { callback_id, state, attempts, resent_after } of callbacks) {
    const last = attempts.at(-1)
    if (!last) continue
    if (state !== 'pending') note(`callback/${state}`, last.at, `callbacks/${callback_id}`)
    // The first attempt, and one that was requested, is not a retry.
    const retry = attempts.findLast((_attempt, place) => place > 0 && place !== resent_after)
    if (retry) note('callback/retried', retry.at, `callbacks/${callback_id}`)
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
