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

/** Filters callbacks, newest first. */
export interface CallbackFilter {
  readonly lead_id?: string | undefined
  readonly state?: CallbackState | undefined
  /** Only callbacks that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Identifies a callback's lease, and shows if the callback was requeued in the meantime. */
export type Lease = Pick<LeasedCallback, 'leased_until' | 'resent_after'>

/** Selects callbacks to lease. The lease runs on the lease clock, because the tenant's clock may be frozen or set back. */
export interface CallbackLease extends DueCallbacks {
  /** The expiry of the lease, in milliseconds on the same clock as `now`. */
  readonly until: number
}

/** A callback that was leased but not sent. */
export interface Postponement {
  callback_id: string
  /** The due time, in milliseconds since 1970 on the tenant's clock. */
  due_at: number
  /** Undefined if no fault postponed it. */
  held?: CallbackHold | undefined
}

/**
 * Callbacks: pending until an attempt succeeds or the last one fails. A process leases a callback to deliver it, and
 * records the attempt only if it still has the lease (fencing). The callbacks of a lead are delivered in order, oldest
 * first.
 */
export const callbackTables = {
  async addCallback(callback: SandboxCallback): Promise<void> {
    this.db.insert(callbacks, callback)
  },
  async findCallback(callbackId: string): Promise<SandboxCallback | undefined> {
    const callback = await this.db.get(callbacks, [callbackId])
    return callback && withoutLease(callback)
  },
  /** Lists the callbacks of a lead, or of a range of leads, in insertion order within each lead. */
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
  /** Lists all pending callbacks, including leased and postponed ones, earliest due first. */
  async listPendingCallbacks(limit: number): Promise<SandboxCallback[]> {
    return (await this.db.scan(callbacks, 'due', { limit })).map(withoutLease)
  },
  /** Counts callbacks by state: pending ones, and those last attempted since a time. Reads only the newest rows. */
  async countCallbacks(count: RecentCount): Promise<CallbackCount[]> {
    return this.db.query(countCallbacks, count)
  },
  async countPendingCallbacks(): Promise<number> {
    return this.db.count(callbacks, 'due')
  },
  /**
   * Leases up to `limit` pending callbacks that are due and not leased, earliest first. No other call gets them before
   * the lease expires. Only the oldest pending callback of each lead is eligible. Callbacks that are synthetic or held as
   * `reorder` are exempt from this order: they are eligible when due, and none waits for them.
   */
  async leaseDueCallbacks({ until, ...due }: CallbackLease): Promise<LeasedCallback[]> {
    const found = await this.db.query(dueCallbacks, due)
    const leased = found.map(callback => ({ ...callback, leased_until: until }))
    for (const callback of leased) this.db.put(callbacks, callback)
    return leased
  },
  /**
   * Records an attempt, and ends the callback's lease and hold. A callback that was requeued during the attempt stays
   * pending. Stores nothing and returns false if the lease was lost to another process.
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
  /** Reschedules a leased callback that was not sent, and ends the lease. Does nothing if the lease was lost. */
  async postponeCallback(
    { callback_id, due_at, held }: Postponement,
    { leased_until, resent_after }: Lease,
  ): Promise<void> {
    const callback = await this.db.get(callbacks, [callback_id], { lock: true })
    if (!callback || !isLeased(callback, leased_until)) return
    const rest = withoutLease(callback)
    this.db.put(callbacks, rest.resent_after === resent_after ? { ...rest, due_at, held } : rest)
  },
  /** Reschedules the lead's pending callbacks that are held as `reorder`. */
  async releaseReordered(leadId: string, due_at: number): Promise<void> {
    for (const found of await this.db.columns(callbacks, 'byLead', { of: [leadId] })) {
      if (!isReordered(found) || found.callback_id === undefined) continue
      // Read again with a lock, because a delivery may be recording its attempt.
      const callback = await this.db.get(callbacks, [found.callback_id], { lock: true })
      if (callback && isReordered(callback)) this.db.put(callbacks, { ...callback, due_at })
    }
  },
  /**
   * Makes a callback pending and due at a time, whatever its state. Clears its hold and restarts its retries, but keeps
   * its lease.
   */
  async requeueCallback(callbackId: string, due_at: number): Promise<void> {
    const callback = await this.db.get(callbacks, [callbackId], { lock: true })
    if (!callback) return
    const { held: _, ...rest } = callback
    const running = rest.state === 'pending' && rest.leased_until !== undefined ? 1 : 0
    this.db.put(callbacks, { ...rest, state: 'pending', due_at, resent_after: rest.attempts.length + running })
  },
  /** Returns when the next callback is due on the tenant's clock, optionally after a time; undefined if none is pending. */
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
