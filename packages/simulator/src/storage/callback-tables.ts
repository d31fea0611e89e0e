import type { AttemptOutcome, CallbackState } from '@lead-distribution/engine'
import type { CallbackHold } from '../effects/effects.ts'
import {
  bringForward,
  type CallbackCount,
  countCallbacks,
  type DueCallbacks,
  dueCallbacks,
  limitRetries,
  nextDueCallback,
  olderThan,
  type RecentCount,
} from './queries.ts'
import type { LeasedCallback, SandboxCallback } from './records.ts'
import { callbacks, type StoredCallback, type TableContext } from './tables.ts'

/** Selects callbacks, newest first. */
export interface CallbackFilter {
  readonly lead_id?: string | undefined
  readonly state?: CallbackState | undefined
  /** Only callbacks that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Identifies the lease of a callback, and shows if the callback was requeued meanwhile. */
export type Lease = Pick<LeasedCallback, 'leased_until' | 'resent_after'>

/** Selects callbacks to lease, and for how long on a monotonic clock: any other may be frozen or set back. */
export interface CallbackLease extends DueCallbacks {
  /** The time when the lease ends, milliseconds of the same time as `now`. */
  readonly until: number
}

/** A callback that was leased and not sent. */
export interface Postponement {
  callback_id: string
  /** The time when it is due, milliseconds since 1970 on the tenant's clock. */
  due_at: number
  /** Undefined where no fault postponed it. */
  held?: CallbackHold | undefined
}

/**
 * Callbacks: pending until one attempt is delivered or the last one failed. Whoever delivers a callback has a lease of it,
 * which records the attempt only while it is still the callback's. Of one lead the oldest pending callback goes first.
 */
export const callbackTables = {
  async addCallback(callback: SandboxCallback): Promise<void> {
    this.db.insert(callbacks, callback)
  },
  async findCallback(callbackId: string): Promise<SandboxCallback | undefined> {
    const callback = await this.db.get(callbacks, [callbackId])
    return callback && withoutLease(callback)
  },
  /** The callbacks of a lead, or of all leads from one to another, those of each in the order of adding. */
  async listCallbacks(leadId: string, through = leadId): Promise<SandboxCallback[]> {
    return callbacksOfLead(this, leadId, through)
  },
  async listAllCallbacks({ lead_id, state, before, limit }: CallbackFilter): Promise<SandboxCallback[]> {
    const page = { ...olderThan(before), order: 'descending', limit } as const
    if (lead_id !== undefined)
      return (await callbacksOfLead(this, lead_id))
        .filter(each => (state ?? each.state) === each.state && (before === undefined || each.callback_id < before))
        .sort((a, b) => (a.callback_id < b.callback_id ? 1 : -1))
        .slice(0, limit)
    const found = await (state === undefined
      ? this.db.scan(callbacks, 'key', page)
      : this.db.scan(callbacks, 'byState', { of: [state], ...page }))
    return found.map(withoutLease)
  },
  /** Pending callbacks, whether they are leased or held up or not, the one that is due first first. */
  async listPendingCallbacks(limit: number): Promise<SandboxCallback[]> {
    return (await this.db.scan(callbacks, 'due', { limit })).map(withoutLease)
  },
  /** Counts by state: pending callbacks, and those last attempted from a time on. Reads only the newest rows. */
  async countCallbacks(count: RecentCount): Promise<CallbackCount[]> {
    return this.db.query(countCallbacks, count)
  },
  async countPendingCallbacks(): Promise<number> {
    return this.db.count(callbacks, 'due')
  },
  /**
   * Leases up to `limit` pending callbacks that are due and not leased, earliest first: no other call gets them before the
   * lease ends. Of one lead only the oldest pending callback is given. One that is held as `reorder` or is synthetic is
   * outside that order: it is given when it is due, and none waits for it.
   */
  async leaseDueCallbacks({ until, ...due }: CallbackLease): Promise<LeasedCallback[]> {
    const found = await this.db.query(dueCallbacks, due)
    const leased = found.map(callback => ({ ...callback, leased_until: until }))
    for (const callback of leased) this.db.put(callbacks, callback)
    return leased
  },
  /**
   * Records an attempt, and ends the lease and the hold of the callback. One that was requeued during the attempt stays
   * pending. Stores nothing and returns false if the callback has another lease: another delivery has it, or had it.
   */
  async recordAttempt(
    { callback_id, url, attempt, state, due_at }: AttemptOutcome,
    { leased_until, resent_after }: Lease,
  ): Promise<boolean> {
    const callback = await this.db.get(callbacks, [callback_id], { lock: true })
    if (!callback || !isLeased(callback, leased_until)) return false
    const { held: _, ...rest } = withoutLease(callback)
    const attempts = [...rest.attempts, attempt]
    const isRequeued = rest.resent_after !== resent_after
    const next = isRequeued ? { resent_after: attempts.length } : { state, due_at }
    this.db.put(callbacks, { ...rest, url, attempts, ...next })
    this.db.shared?.countJobs(1)
    return true
  },
  /** Makes a leased callback that was not sent due at another time, or at the same, and ends the lease, if it has it still. */
  async postponeCallback(
    { callback_id, due_at, held }: Postponement,
    { leased_until, resent_after }: Lease,
  ): Promise<void> {
    const callback = await this.db.get(callbacks, [callback_id], { lock: true })
    if (!callback || !isLeased(callback, leased_until)) return
    const rest = withoutLease(callback)
    this.db.put(callbacks, rest.resent_after === resent_after ? { ...rest, due_at, held } : rest)
  },
  /** Makes the pending callbacks of a lead that are held as `reorder` due at a time. */
  async releaseReordered(leadId: string, due_at: number): Promise<void> {
    for (const found of await this.db.columns(callbacks, 'byLead', { of: [leadId] })) {
      if (!isReordered(found) || found.callback_id === undefined) continue
      // Read again with the lock, because a delivery may be recording its attempt.
      const callback = await this.db.get(callbacks, [found.callback_id], { lock: true })
      if (callback && isReordered(callback)) this.db.put(callbacks, { ...callback, due_at })
    }
  },
  /** Makes a callback of any state pending and due at a time, without hold, its retries counted anew. A lease stays. */
  async requeueCallback(callbackId: string, due_at: number): Promise<void> {
    const callback = await this.db.get(callbacks, [callbackId], { lock: true })
    if (!callback) return
    const { held: _, ...rest } = callback
    const running = rest.state === 'pending' && rest.leased_until !== undefined ? 1 : 0
    this.db.put(callbacks, { ...rest, state: 'pending', due_at, resent_after: rest.attempts.length + running })
  },
  /** When the next callback is due on the tenant's clock, optionally after a time; undefined if none is pending. */
  async nextCallbackDue(after = Number.MIN_SAFE_INTEGER): Promise<number | undefined> {
    return (await this.db.query(nextDueCallback, { after }))[0]?.due_at
  },
  async limitRetries(now: number): Promise<void> {
    await this.db.query(limitRetries, { now })
  },
  async bringForward(ms: number, after: number): Promise<void> {
    await this.db.query(bringForward, { ms, after })
  },
} satisfies ThisType<TableContext> & object

async function callbacksOfLead({ db }: TableContext, leadId: string, through = leadId): Promise<SandboxCallback[]> {
  return (await db.scan(callbacks, 'byLead', { from: [leadId], through: [through] })).map(withoutLease)
}

function withoutLease({ leased_until: _, ...callback }: StoredCallback): SandboxCallback {
  return callback
}

function isReordered({ state, held }: Partial<StoredCallback>): boolean {
  return state === 'pending' && held === 'reorder'
}

function isLeased({ state, leased_until }: StoredCallback, until: number): boolean {
  return state === 'pending' && leased_until === until
}
