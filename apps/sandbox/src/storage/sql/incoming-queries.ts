import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { query } from './query.ts'
import type { TenantKey } from './tenant-queries.ts'

/** A constant: a statement holds no values. */
const one = sql.lit(1)

/** Queries for what came in: at the inbox, and at the service. */
export function incomingQueries(db: Kysely<Database>) {
  return {
    addInboxEntry: query(({ tenant, entry }: TenantKey & { entry: string }) =>
      db.insertInto('inbox').values({ tenant, entry }),
    ),
    listInbox: query(({ tenant }: TenantKey) =>
      db.selectFrom('inbox').select('entry').where('tenant', '=', tenant).orderBy('seq'),
    ),
    trimInbox: query(({ tenant, keep }: TenantKey & { keep: number }) =>
      db
        .deleteFrom('inbox')
        .where('tenant', '=', tenant)
        .where('seq', '<=', ({ selectFrom }) =>
          selectFrom('inbox as newer')
            .select('newer.seq')
            .where('newer.tenant', '=', tenant)
            .orderBy('newer.seq', 'desc')
            .limit(one)
            .offset(keep),
        ),
    ),
    addRequests: query((row: Database['requests']) =>
      db.insertInto('requests').values({ tenant: row.tenant, first: row.first, last: row.last, entries: row.entries }),
    ),
    readRequests: query(({ tenant, before }: TenantKey & { before: number }) =>
      db
        .selectFrom('requests')
        .select('entries')
        .where('tenant', '=', tenant)
        .where('first', '<', before)
        .orderBy('first', 'desc')
        .limit(one),
    ),
    /** Whole rows alone: one that holds a number from `below` on stays. */
    trimRequests: query(({ tenant, below }: TenantKey & { below: number }) =>
      db
        .deleteFrom('requests')
        .where('tenant', '=', tenant)
        // Says nothing new, but lets the index serve.
        .where('first', '<', below)
        .where('last', '<', below),
    ),
  }
}
