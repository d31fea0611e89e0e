import type { CallbackState } from '@lead-distribution/engine'
import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { query } from './query.ts'

type Row = Database['callbacks']

/** A constant, so that the index over pending callbacks alone serves. */
const pending = sql.lit<CallbackState>('pending')

/** Queries for callbacks. */
export function callbackQueries(db: Kysely<Database>) {
  /** Pending callbacks of a tenant that no older one of the same lead holds up. */
  const firstPending = (tenant: string) =>
    db
      .selectFrom('callbacks as first')
      .where('first.tenant', '=', tenant)
      .where('first.state', '=', pending)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('callbacks as older')
              .select('older.seq')
              .where('older.state', '=', pending)
              .whereRef('older.tenant', '=', 'first.tenant')
              .whereRef('older.lead_id', '=', 'first.lead_id')
              .whereRef('older.seq', '<', 'first.seq'),
          ),
        ),
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
      }),
    ),
    findCallback: query(({ tenant, callback_id }: { tenant: string; callback_id: string }) =>
      db.selectFrom('callbacks').selectAll().where('tenant', '=', tenant).where('callback_id', '=', callback_id),
    ),
    listCallbacks: query(({ tenant, lead_id }: { tenant: string; lead_id: string }) =>
      db.selectFrom('callbacks').selectAll().where('tenant', '=', tenant).where('lead_id', '=', lead_id).orderBy('seq'),
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
          leased_until: sql.lit(null),
        })
        .where('seq', '=', row.seq),
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
