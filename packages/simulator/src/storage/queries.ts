import type { CallbackState, LeadRecord } from '@lead-distribution/engine'
import type { CallBodies, RejectionEntry, RequestEntry } from './records.ts'
import type { NamedQuery, Transaction } from './table.ts'
import { columnOf } from './table.ts'
import {
  bodies,
  callbacks,
  isInOrder,
  leads,
  rejections,
  reports,
  requests,
  type StoredCallback,
  searchable,
} from './tables.ts'

// Queries that are measurably faster in SQL than with the primitives.

/** The rows to count: those since a time, among the newest. */
export interface RecentCount {
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly from: number
  /** The maximum number of rows to read, which bounds the cost for a busy tenant. */
  readonly rows: number
}

/** The number of leads in a time span with a status and reason. */
export interface LeadCount {
  /** The index of the span, from 0. Each span is `span` milliseconds long, and the first begins at `from`. */
  readonly span: number
  readonly status: LeadRecord['status']
  readonly reason?: LeadRecord['rejection_reason']
  readonly count: number
  /** The time at which the first of them was received. */
  readonly first: number
}

/** Counts the leads received since a time, by time span, status and reason. */
export const countLeads: NamedQuery<RecentCount & { readonly span: number }, LeadCount> = {
  name: 'countLeads',
  async run(tables, { from, span, rows }) {
    const counts = new Map<string, LeadCount>()
    const newest = await tables.scan(leads, 'key', { order: 'descending', limit: rows })
    for (const { status, rejection_reason: reason, received_at } of newest) {
      if (received_at < from) continue
      const place = Math.floor((received_at - from) / span)
      const key = `${place} ${status} ${reason}`
      const { count, first } = counts.get(key) ?? { count: 0, first: received_at }
      counts.set(key, {
        span: place,
        status,
        ...(reason && { reason }),
        count: count + 1,
        first: Math.min(first, received_at),
      })
    }
    return [...counts.values()]
  },
}

/** Searches for leads, newest first, within a bounded number of rows. */
export interface LeadSearch {
  readonly status?: LeadRecord['status'] | undefined
  readonly reason?: LeadRecord['rejection_reason']
  readonly product_id?: string | undefined
  /** The whole address, in lower case. */
  readonly email?: string | undefined
  /** A part of the address, the customer's name or `external_id`. */
  readonly customer?: string | undefined
  /** The whole `external_id`. */
  readonly external_id?: string | undefined
  /** Received at this time or later, in milliseconds since 1970 on the tenant's clock. */
  readonly from?: number | undefined
  /** Received before this time. */
  readonly to?: number | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  /** The maximum number of leads to read, which bounds a search without results. */
  readonly rows: number
  /** The maximum number of results. */
  readonly limit: number
}

/** A lead found by a search; or the id of the last lead read, if the search can continue from there. */
export interface SearchedLead {
  readonly lead?: LeadRecord
  readonly last?: string
}

export const searchLeads: NamedQuery<LeadSearch, SearchedLead> = {
  name: 'searchLeads',
  async run(tables, { before, rows, limit, ...search }) {
    const scanned = await tables.scan(leads, 'key', { ...olderThan(before), order: 'descending', limit: rows })
    const found = scanned.filter(isFoundBy(search)).slice(0, limit)
    const last = found.length === limit ? found.at(-1) : scanned.length === rows ? scanned.at(-1) : undefined
    return [...found.map(lead => ({ lead })), ...(last ? [{ last: last.lead_id }] : [])]
  },
}

function isFoundBy(search: Omit<LeadSearch, 'before' | 'rows' | 'limit'>): (lead: LeadRecord) => boolean {
  const { from = Number.NEGATIVE_INFINITY, to = Infinity, customer, external_id } = search
  const [partOfEmail = '', part = ''] = customer === undefined ? [] : [customer.toLowerCase(), searchable(customer)]
  const end = external_id === undefined ? '' : `\n${searchable(external_id)}`
  const searchedOf = (lead: LeadRecord) => String(columnOf(leads, lead, 'customer'))
  return lead =>
    (search.status ?? lead.status) === lead.status &&
    (search.reason ?? lead.rejection_reason) === lead.rejection_reason &&
    (search.product_id ?? lead.product_id) === lead.product_id &&
    (search.email ?? lead.email) === lead.email &&
    lead.received_at >= from &&
    lead.received_at < to &&
    (lead.email.includes(partOfEmail) || searchedOf(lead).includes(part)) &&
    (end === '' || searchedOf(lead).endsWith(end))
}

/** Returns the range of smaller ids. */
export function olderThan(before: string | undefined): { before?: [string] } {
  return before === undefined ? {} : { before: [before] }
}

/** The number of callbacks in one state. */
export interface CallbackCount {
  readonly state: CallbackState
  readonly count: number
  /** The earliest of their last attempts; undefined if none was attempted. */
  readonly first?: number | undefined
}

/** Counts callbacks by state: pending ones, and those last attempted since a time. */
export const countCallbacks: NamedQuery<RecentCount, CallbackCount> = {
  name: 'countCallbacks',
  async run(tables, { from, rows }) {
    const counts = new Map<CallbackState, CallbackCount>()
    for (const { state, attempts } of await tables.scan(callbacks, 'key', { order: 'descending', limit: rows })) {
      const at = attempts.at(-1)?.at
      if (state !== 'pending' && (at === undefined || at < from)) continue
      const { count, first = at } = counts.get(state) ?? { count: 0 }
      counts.set(state, { state, count: count + 1, first: Math.min(first ?? Infinity, at ?? Infinity) })
    }
    return [...counts.values()].map(({ first = Infinity, ...each }) => (first === Infinity ? each : { ...each, first }))
  },
}

/** Selects callbacks to lease, by due time and lease clock. */
export interface DueCallbacks {
  readonly due_by: number
  /** The time by which leases have expired, on the lease clock. */
  readonly now: number
  readonly limit: number
}

/**
 * Finds pending callbacks that are due and not leased, earliest first, and locks them. Only the oldest pending callback
 * of each lead is eligible, except those exempt from the order.
 */
export const dueCallbacks: NamedQuery<DueCallbacks, StoredCallback> = {
  name: 'dueCallbacks',
  async run(tables, { due_by, now, limit }) {
    const found: StoredCallback[] = []
    for (const callback of await tables.scan(callbacks, 'due', { through: [due_by] })) {
      if (found.length >= limit) break
      if ((callback.leased_until ?? 0) <= now && (await goesFirst(tables, callback))) found.push(callback)
    }
    return found
  },
}

/** Finds when the next callback is due after a time. Only the oldest pending callback of each lead counts. */
export const nextDueCallback: NamedQuery<{ readonly after: number }, { readonly due_at: number }> = {
  name: 'nextDueCallback',
  async run(tables, { after }) {
    for (const callback of await tables.scan(callbacks, 'due', { after: [after] }))
      if (callback.due_at !== undefined && (await goesFirst(tables, callback))) return [{ due_at: callback.due_at }]
    return []
  },
}

/** Returns true if no older pending callback of the lead must go first. */
async function goesFirst(tables: Transaction, callback: StoredCallback): Promise<boolean> {
  if (!isInOrder(callback)) return true
  const ofLead = await tables.scan(callbacks, 'byLead', { of: [callback.lead_id] })
  const first = ofLead.find(other => other.state === 'pending' && isInOrder(other))
  return first?.callback_id === callback.callback_id
}

/** A batch of requests to append to the journal. */
export interface AppendedRequests {
  readonly entries: readonly RequestEntry[]
  /** The minimum number for the first one. */
  readonly from: number
  readonly bodies?: readonly (CallBodies | null)[] | undefined
  readonly rejections?: readonly (RejectionEntry | null)[] | undefined
}

/**
 * Appends requests with the next numbers, and returns the first number. The journal must be locked if processes share it.
 * In SQL, this is one statement, sent together with the commit.
 */
export const appendRequests: NamedQuery<AppendedRequests, { readonly first: number }> = {
  name: 'appendRequests',
  async run(tables, { entries, from, bodies: kept, rejections: rejected }) {
    let first = from
    if (tables.shared) {
      const [newest] = await tables.columns(requests, 'key', { order: 'descending', limit: 1 })
      first = Math.max(from, (newest?.last ?? 0) + 1)
    }
    const last = first + entries.length - 1
    tables.insert(requests, { first, last, entries })
    if (kept) tables.insert(bodies, { first, last, bodies: kept })
    if (rejected) tables.insert(rejections, { first, last, rejections: rejected })
    return [{ first }]
  },
}

/** Makes pending callbacks and reports that are due after a time fall due `ms` earlier. Returns nothing. */
export const bringForward: NamedQuery<{ readonly ms: number; readonly after: number }, never> = {
  name: 'bringForward',
  async run(tables, { ms, after }) {
    for (const callback of await tables.scan(callbacks, 'due', { after: [after] }))
      if (callback.due_at !== undefined) tables.put(callbacks, { ...callback, due_at: callback.due_at - ms })
    for (const report of await tables.scan(reports, 'due', { after: [after] }))
      tables.put(reports, { ...report, due_at: report.due_at - ms })
    return []
  },
}

/**
 * Corrects due times after the clock was set back to `now`. A retry becomes due as long after `now` as it was due after
 * its last attempt, and any other callback at `now`. Skips callbacks that a fault holds and synthetic ones. Returns
 * nothing.
 */
export const limitRetries: NamedQuery<{ readonly now: number }, never> = {
  name: 'limitRetries',
  async run(tables, { now }) {
    for (const callback of await tables.scan(callbacks, 'due', { after: [now] })) {
      const { due_at, attempts, resent_after = 0, held, synthetic } = callback
      if (due_at === undefined) continue
      const since = attempts.length > resent_after ? (attempts.at(-1)?.at ?? due_at) : due_at
      if (held === undefined && !synthetic && since > now)
        tables.put(callbacks, { ...callback, due_at: due_at - (since - now) })
    }
    return []
  },
}
