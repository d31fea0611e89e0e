import type { CallbackState } from '@lead-distribution/engine'
import type { CallbackHold, Lease, SandboxCallback, SandboxTables } from '@lead-distribution/simulator'
import { reportStatements } from './reports-and-documents.ts'
import {
  beforeAllTimes,
  fromColumn,
  type Page,
  pageOf,
  readInBoth,
  statement,
  type TableContext,
  type TenantKey,
  toColumn,
} from './statement.ts'

/** The key of a callback. */
interface CallbackKey extends TenantKey {
  callback_id: string
}

/** The columns of a new callback. */
interface NewCallbackRow extends CallbackKey {
  lead_id: string
  event: string
  url: string
  state: CallbackState
  due_at: number | null
  /** Every try so far, as JSON. */
  attempts: string
  held: CallbackHold | null
  resent_after: number | null
  /** A `SyntheticCallback` as JSON; null for the callback of an event. */
  synthetic: string | null
}

/** A row of `callbacks`; `seq` is the order of adding. */
interface CallbackRow extends NewCallbackRow {
  seq: number
  /** Real time; null while no process delivers it. */
  leased_until: number | null
}

/**
 * Pending callbacks of a tenant that no older one of the same lead holds up. The state is a constant, so that the
 * index over only the pending callbacks serves.
 */
const firstPending = `from callbacks as oldest where oldest.tenant = :tenant and oldest.state = 'pending'
  and (oldest.held = 'reorder' or oldest.synthetic is not null or not exists (
    select 1 from callbacks as older
    where older.tenant = oldest.tenant and older.lead_id = oldest.lead_id and older.seq < oldest.seq
      and older.state = 'pending' and older.synthetic is null and older.held is distinct from 'reorder'))`

type DueBy = TenantKey & { due_by: number; now: number; limit: number }
const dueCallbacks = `select oldest.* ${firstPending} and oldest.due_at <= :due_by
   and (oldest.leased_until is null or oldest.leased_until <= :now) order by oldest.due_at, oldest.seq limit :limit`

const recordAttempt = `update callbacks set url = :url, attempts = :attempts, state = :state, due_at = :due_at,
   resent_after = :resent_after, held = null, leased_until = null
 where tenant = :tenant and seq = :seq`

/** The number of attempts and the time of the last one are in JSON, which each database reads in its own way. */
const attemptsInSqlite = { count: 'json_array_length(attempts)', lastAt: `attempts ->> '$[#-1].at'` }

/**
 * PostgreSQL refuses JSON with escapes of what a text of it cannot hold, such as NUL, which an error of an attempt may have.
 * Nothing that is read here is escaped.
 */
const readableAttempts = String.raw`cast(regexp_replace(attempts, '\\.', '', 'g') as json)`
const attemptsInPostgres = {
  count: `json_array_length(${readableAttempts})`,
  lastAt: `cast(${readableAttempts} -> -1 ->> 'at' as bigint)`,
}

type AttemptsColumn = typeof attemptsInSqlite

/** The time from which a callback waits: that of its last attempt, but its own where no retry is awaited. */
const waitsSince = ({ count, lastAt }: AttemptsColumn) =>
  `(case when ${count} > coalesce(resent_after, 0) then ${lastAt} else due_at end)`

const limitRetries = (column: AttemptsColumn) =>
  `update callbacks set due_at = due_at - (${waitsSince(column)} - :now)
   where tenant = :tenant and state = 'pending' and due_at > :now and ${waitsSince(column)} > :now
     and held is null and synthetic is null`

const countCallbacks = ({ lastAt }: AttemptsColumn) =>
  `select state, count(*) as count, min(tried_at) as first
   from (select state, ${lastAt} as tried_at from callbacks where tenant = :tenant
     order by callback_id desc limit :rows) as newest
   where state = 'pending' or tried_at >= :from group by state`

/** Statements for callbacks. */
export const callbackStatements = {
  addCallback: statement<NewCallbackRow>(
    `insert into callbacks (tenant, callback_id, lead_id, event, url, state, due_at, attempts, held, resent_after,
       synthetic)
     values (:tenant, :callback_id, :lead_id, :event, :url, :state, :due_at, :attempts, :held, :resent_after,
       :synthetic)`,
  ),
  findCallback: statement<CallbackKey, CallbackRow>(
    'select * from callbacks where tenant = :tenant and callback_id = :callback_id',
  ),
  findCallbackToChange: statement<CallbackKey, CallbackRow>(
    'select * from callbacks where tenant = :tenant and callback_id = :callback_id',
    'select * from callbacks where tenant = :tenant and callback_id = :callback_id for update',
  ),
  /** Each new id is greater than the last, and there is an index of them. */
  newestCallback: statement<TenantKey, { callback_id: string }>(
    'select callback_id from callbacks where tenant = :tenant order by callback_id desc limit 1',
  ),
  listCallbacks: statement<TenantKey & { lead_id: string; through: string }, CallbackRow>(
    'select * from callbacks where tenant = :tenant and lead_id >= :lead_id and lead_id <= :through order by seq',
  ),
  listAllCallbacks: statement<Page, CallbackRow>(
    'select * from callbacks where tenant = :tenant and callback_id < :before order by callback_id desc limit :limit',
  ),
  listCallbacksOfState: statement<Page & { state: CallbackState }, CallbackRow>(
    `select * from callbacks where tenant = :tenant and state = :state and callback_id < :before
     order by callback_id desc limit :limit`,
  ),
  /** The id is computed, so that the index of the lead serves and not that of all ids. */
  listCallbacksOfLead: statement<Page & { lead_id: string; state: CallbackState | null }, CallbackRow>(
    `select * from callbacks where tenant = :tenant and lead_id = :lead_id and callback_id || '' < :before
       and (state = :state or :state is null)
     order by callback_id || '' desc limit :limit`,
  ),
  listPendingCallbacks: statement<TenantKey & { limit: number }, CallbackRow>(
    `select * from callbacks where tenant = :tenant and state = 'pending' order by due_at, seq limit :limit`,
  ),
  countCallbacks: readInBoth<
    TenantKey & { from: number; rows: number },
    { state: CallbackState; count: number; first: number | null }
  >(countCallbacks(attemptsInSqlite), countCallbacks(attemptsInPostgres)),
  countPendingCallbacks: statement<TenantKey, { count: number }>(
    `select count(*) as count from callbacks where tenant = :tenant and state = 'pending'`,
  ),
  // On PostgreSQL, what another process leases at this moment is its own.
  dueCallbacks: statement<DueBy, CallbackRow>(dueCallbacks, `${dueCallbacks} for update of oldest skip locked`),
  leaseCallback: statement<TenantKey & { seq: number; leased_until: number }>(
    'update callbacks set leased_until = :leased_until where tenant = :tenant and seq = :seq',
  ),
  recordAttempt: statement<
    TenantKey & Pick<CallbackRow, 'seq' | 'url' | 'attempts' | 'state' | 'due_at' | 'resent_after'>
  >(
    recordAttempt,
    // Counted where another process waits for the number.
    `with counted as (update counters set next = next + 1 where tenant = :tenant and series = 'jobs')
     ${recordAttempt}`,
  ),
  postponeCallback: statement<TenantKey & { seq: number; due_at: number | null; held: CallbackHold | null }>(
    'update callbacks set due_at = :due_at, held = :held, leased_until = null where tenant = :tenant and seq = :seq',
  ),
  /** The state is computed, so that the index of the lead serves and not that of everything that is pending. */
  releaseReordered: statement<TenantKey & { lead_id: string; due_at: number }>(
    `update callbacks set due_at = :due_at
     where tenant = :tenant and lead_id = :lead_id and state || '' = 'pending' and held = 'reorder'`,
  ),
  requeueCallback: statement<TenantKey & { seq: number; due_at: number; resent_after: number }>(
    `update callbacks set state = 'pending', due_at = :due_at, resent_after = :resent_after, held = null
     where tenant = :tenant and seq = :seq`,
  ),
  nextCallbackDue: statement<TenantKey & { after: number }, { due_at: number }>(
    `select oldest.due_at ${firstPending} and oldest.due_at > :after order by oldest.due_at limit 1`,
  ),
  limitRetries: statement<TenantKey & { now: number }>(
    limitRetries(attemptsInSqlite),
    limitRetries(attemptsInPostgres),
  ),
  bringForward: statement<TenantKey & { ms: number; after: number }>(
    `update callbacks set due_at = due_at - :ms where tenant = :tenant and state = 'pending' and due_at > :after`,
  ),
  /** Of every tenant; names the tenants so that the index over pending callbacks serves. */
  releaseLeases: statement<object>(
    `update callbacks set leased_until = null
     where tenant in (select tenant from tenants) and state = 'pending' and leased_until is not null`,
  ),
}

/** One tenant's tables of callbacks. */
export const callbackTables = {
  async addCallback(callback) {
    await this.db.write(callbackStatements.addCallback, toCallbackRow(this.tenant, callback))
  },
  async findCallback(callbackId) {
    const key = { tenant: this.tenant, callback_id: callbackId }
    const row = await this.db.first(callbackStatements.findCallback, key)
    return row && fromCallbackRow(row)
  },
  async listCallbacks(lead_id, through = lead_id) {
    const rows = await this.db.all(callbackStatements.listCallbacks, { tenant: this.tenant, lead_id, through })
    return rows.map(fromCallbackRow)
  },
  async listAllCallbacks({ lead_id, state, ...filter }) {
    const { db, tenant } = this
    const page = pageOf(tenant, filter)
    if (lead_id !== undefined) {
      const asked = { lead_id, state: state ?? null, ...page }
      return (await db.all(callbackStatements.listCallbacksOfLead, asked)).map(fromCallbackRow)
    }
    if (state !== undefined)
      return (await db.all(callbackStatements.listCallbacksOfState, { state, ...page })).map(fromCallbackRow)
    return (await db.all(callbackStatements.listAllCallbacks, page)).map(fromCallbackRow)
  },
  async listPendingCallbacks(limit) {
    const rows = await this.db.all(callbackStatements.listPendingCallbacks, { tenant: this.tenant, limit })
    return rows.map(fromCallbackRow)
  },
  async countCallbacks({ from, rows }) {
    const counts = await this.db.all(callbackStatements.countCallbacks, { tenant: this.tenant, from, rows })
    return counts.map(({ first, ...count }) => ({ ...count, ...(first !== null && { first }) }))
  },
  async countPendingCallbacks() {
    return (await this.db.first(callbackStatements.countPendingCallbacks, { tenant: this.tenant }))?.count ?? 0
  },
  async leaseDueCallbacks({ due_by, now, until, limit }) {
    await this.db.turn?.(this.tenant)
    const due = await this.db.all(callbackStatements.dueCallbacks, { tenant: this.tenant, due_by, now, limit })
    const { db, tenant } = this
    for (const { seq } of due) await db.write(callbackStatements.leaseCallback, { tenant, seq, leased_until: until })
    return due.map(row => ({ ...fromCallbackRow(row), leased_until: until }))
  },
  async recordAttempt({ callback_id, url, attempt, state, due_at = null }, leased) {
    await this.db.turn?.(this.tenant)
    const row = await findToChange(this, callback_id)
    if (!hasLease(row, leased)) return false
    const all = [...JSON.parse(row.attempts), attempt]
    const { tenant } = this
    const tried = { tenant, seq: row.seq, url, attempts: JSON.stringify(all) }
    const next = isRequeued(row, leased)
      ? { state: row.state, due_at: row.due_at, resent_after: all.length }
      : { state, due_at, resent_after: row.resent_after }
    await this.db.write(callbackStatements.recordAttempt, { ...tried, ...next })
    return true
  },
  async postponeCallback({ callback_id, due_at, held = null }, leased) {
    await this.db.turn?.(this.tenant)
    const row = await findToChange(this, callback_id)
    if (!hasLease(row, leased)) return
    const next = isRequeued(row, leased) ? { due_at: row.due_at, held: row.held } : { due_at, held }
    await this.db.write(callbackStatements.postponeCallback, { tenant: this.tenant, seq: row.seq, ...next })
  },
  async releaseReordered(lead_id, due_at) {
    await this.db.write(callbackStatements.releaseReordered, { tenant: this.tenant, lead_id, due_at })
  },
  async requeueCallback(callbackId, due_at) {
    await this.db.turn?.(this.tenant)
    const row = await findToChange(this, callbackId)
    if (!row) return
    const running = row.state === 'pending' && row.leased_until !== null ? 1 : 0
    const resent_after = fromCallbackRow(row).attempts.length + running
    const { tenant } = this
    await this.db.write(callbackStatements.requeueCallback, { tenant, seq: row.seq, due_at, resent_after })
  },
  async nextCallbackDue(after = beforeAllTimes) {
    return (await this.db.first(callbackStatements.nextCallbackDue, { tenant: this.tenant, after }))?.due_at
  },
  async limitRetries(now) {
    await this.db.write(callbackStatements.limitRetries, { tenant: this.tenant, now })
  },
  async bringForward(ms, after) {
    await this.db.write(callbackStatements.bringForward, { tenant: this.tenant, ms, after })
    await this.db.write(reportStatements.bringForward, { tenant: this.tenant, ms, after })
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>

/** The row of a callback, which no other process changes before this transaction is over. */
function findToChange({ db, tenant }: TableContext, callback_id: string) {
  return db.first(callbackStatements.findCallbackToChange, { tenant, callback_id })
}

/** Returns true if a row has the lease of a delivery still. */
function hasLease(row: CallbackRow | undefined, { leased_until }: Lease): row is CallbackRow {
  return row?.state === 'pending' && row.leased_until === leased_until
}

/** Returns true if the callback of a row was requeued since it was leased. */
function isRequeued(row: CallbackRow, { resent_after }: Lease): boolean {
  return row.resent_after !== (resent_after ?? null)
}

/** A callback as its row holds it. */
function toCallbackRow(tenant: string, callback: SandboxCallback): NewCallbackRow {
  const { callback_id, lead_id, url, state, due_at = null, held = null, resent_after = null } = callback
  const event = toColumn(callback.event)
  const attempts = JSON.stringify(callback.attempts)
  const synthetic = callback.synthetic ? JSON.stringify(callback.synthetic) : null
  return { tenant, callback_id, lead_id, event, url, state, due_at, attempts, held, resent_after, synthetic }
}

/** The callback of a row. */
function fromCallbackRow(row: CallbackRow): SandboxCallback {
  const { callback_id, lead_id, url, state, attempts, due_at, held, resent_after, synthetic } = row
  const event = fromColumn(row.event)
  const callback: SandboxCallback = { callback_id, lead_id, event, url, state, attempts: JSON.parse(attempts) }
  if (due_at !== null) callback.due_at = due_at
  if (held !== null) callback.held = held
  if (resent_after !== null) callback.resent_after = resent_after
  if (synthetic !== null) callback.synthetic = JSON.parse(synthetic)
  return callback
}
