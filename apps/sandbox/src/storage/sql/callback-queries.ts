import type { CallbackState } from '@lead-distribution/engine'
import type { CallbackHold } from '@lead-distribution/simulator'
import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { isOrAny, type Page } from './page.ts'
import { query } from './query.ts'

type Row = Database['callbacks']

/** A constant, so that the index over pending callbacks alone serves. */
const pending = sql.lit<CallbackState>('pending')
const reorder = sql.lit<CallbackHold>('reorder')

/** Not the bare column: the index of the lead is to serve, not that of all ids. */
const computedId = sql<string>`${sql.ref('callback_id')} || ''`

/** Queries for callbacks. */
export function callbackQueries(db: Kysely<Database>) {
  /** Pending callbacks of a tenant that no older one of the same lead holds up. */
  const firstPending = (tenant: string) =>
    db
      .selectFrom('callbacks as first')
      .where('first.tenant', '=', tenant)
      .where('first.state', '=', pending)
      .where(({ eb, or, not, exists, selectFrom }) =>
        or([
          eb('first.held', '=', reorder),
          not(
            exists(
              selectFrom('callbacks as older')
                .select('older.seq')
                .where('older.state', '=', pending)
                .where('older.held', 'is distinct from', reorder)
                .whereRef('older.tenant', '=', 'first.tenant')
                .whereRef('older.lead_id', '=', 'first.lead_id')
                .whereRef('older.seq', '<', 'first.seq'),
            ),
          ),
        ]),
      )

  return {
    addCallback: query((row: Required<Omit<Insertable<Row>, 'seq' | 'leased_until'>>) =>
      db.insertInto('callbacks').values({
        tenant: row.tenant,
        callback_id: row.callback_id,
        lead_id: row.lead_id,
        event: row.event,
        url: row.url,
        state: row.state,
        due_at: row.due_at,
        attempts: row.attempts,
        held: row.held,
        resent_after: row.resent_after,
      }),
    ),
    findCallback: query(({ tenant, callback_id }: { tenant: string; callback_id: string }) =>
      db.selectFrom('callbacks').selectAll().where('tenant', '=', tenant).where('callback_id', '=', callback_id),
    ),
    listCallbacks: query(({ tenant, lead_id }: { tenant: string; lead_id: string }) =>
      db.selectFrom('callbacks').selectAll().where('tenant', '=', tenant).where('lead_id', '=', lead_id).orderBy('seq'),
    ),
    listAllCallbacks: query(({ tenant, state, before, limit }: Page & { state: CallbackState | null }) =>
      db
        .selectFrom('callbacks')
        .selectAll()
        .where('tenant', '=', tenant)
        .where('callback_id', '<', before)
        .where(isOrAny('state', state))
        .orderBy('callback_id', 'desc')
        .limit(limit),
    ),
    listCallbacksOfLead: query(
      ({ tenant, lead_id, state, before, limit }: Page & { lead_id: string; state: CallbackState | null }) =>
        db
          .selectFrom('callbacks')
          .selectAll()
          .where('tenant', '=', tenant)
          .where('lead_id', '=', lead_id)
          .where(computedId, '<', before)
          .where(isOrAny('state', state))
          .orderBy(computedId, 'desc')
          .limit(limit),
    ),
    countPendingCallbacks: query(({ tenant }: { tenant: string }) =>
      db
        .selectFrom('callbacks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('tenant', '=', tenant)
        .where('state', '=', pending),
    ),
    dueCallbacks: query(
      ({ tenant, due_by, now, limit }: { tenant: string; due_by: number; now: number; limit: number }) =>
        firstPending(tenant)
          .selectAll('first')
          .where('first.due_at', '<=', due_by)
          .where(({ or, eb }) => or([eb('first.leased_until', 'is', null), eb('first.leased_until', '<=', now)]))
          .orderBy('first.due_at')
          .orderBy('first.seq')
          .limit(limit),
    ),
    leaseCallback: query(({ seq, leased_until }: { seq: number; leased_until: number }) =>
      db.updateTable('callbacks').set({ leased_until }).where('seq', '=', seq),
    ),
    recordAttempt: query((row: Pick<Row, 'url' | 'attempts' | 'state' | 'due_at'> & { seq: number }) =>
      db
        .updateTable('callbacks')
        .set({
          url: row.url,
          attempts: row.attempts,
          state: row.state,
          due_at: row.due_at,
          held: sql.lit(null),
          leased_until: sql.lit(null),
        })
        .where('seq', '=', row.seq),
    ),
    postponeCallback: query((row: { tenant: string; callback_id: string; due_at: number; held: CallbackHold }) =>
      db
        .updateTable('callbacks')
        .set({ due_at: row.due_at, held: row.held, leased_until: sql.lit(null) })
        .where('tenant', '=', row.tenant)
        .where('callback_id', '=', row.callback_id)
        .where('state', '=', pending),
    ),
    releaseReordered: query(({ tenant, lead_id, due_at }: { tenant: string; lead_id: string; due_at: number }) =>
      db
        .updateTable('callbacks')
        .set({ due_at })
        .where('tenant', '=', tenant)
        .where('lead_id', '=', lead_id)
        .where('state', '=', pending)
        .where('held', '=', reorder),
    ),
    requeueCallback: query(({ seq, due_at, resent_after }: { seq: number; due_at: number; resent_after: number }) =>
      db
        .updateTable('callbacks')
        .set({ state: pending, due_at, resent_after, held: sql.lit(null), leased_until: sql.lit(null) })
        .where('seq', '=', seq),
    ),
    nextCallbackDue: query(({ tenant }: { tenant: string }) =>
      firstPending(tenant)
        .select('first.due_at')
        .where('first.due_at', 'is not', null)
        .orderBy('first.due_at')
        .limit(sql.lit(1)),
    ),
    /** Of every tenant; names the tenants so that the index over pending callbacks serves. */
    releaseLeases: query(() =>
      db
        .updateTable('callbacks')
        .set({ leased_until: sql.lit(null) })
        .where('tenant', 'in', db.selectFrom('tenants').select('tenant'))
        .where('state', '=', pending)
        .where('leased_until', 'is not', null),
    ),
  }
}
