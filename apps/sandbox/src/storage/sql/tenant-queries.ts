import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { query } from './query.ts'

/** What identifies a tenant. */
export interface TenantKey {
  tenant: string
}

/** A constant: a statement holds no values. */
const one = sql.lit(1)

/** Queries for tenants and their snapshots. */
export function tenantQueries(db: Kysely<Database>) {
  return {
    /** Changes no row where the name is taken. */
    addTenant: query(({ tenant, record }: TenantKey & { record: string }) =>
      db
        .insertInto('tenants')
        .values({ tenant, record })
        .onConflict(conflict => conflict.column('tenant').doNothing()),
    ),
    replaceTenant: query(({ tenant, record }: TenantKey & { record: string }) =>
      db.updateTable('tenants').set({ record }).where('tenant', '=', tenant),
    ),
    /** All that it has goes with it, by the foreign keys. */
    deleteTenant: query(({ tenant }: TenantKey) => db.deleteFrom('tenants').where('tenant', '=', tenant)),
    findTenant: query(({ tenant }: TenantKey) =>
      db.selectFrom('tenants').select('record').where('tenant', '=', tenant),
    ),
    /** Without the snapshots. */
    listTenants: query(() => db.selectFrom('tenants').select('record').where('snapshot_of', 'is', null).orderBy('seq')),
    /** Changes no row where there is no such tenant. */
    addSnapshot: query(({ tenant, snapshot, saved_at }: TenantKey & { snapshot: string; saved_at: number }) =>
      db
        .insertInto('tenants')
        .columns(['tenant', 'record', 'snapshot_of', 'saved_at'])
        .expression(({ selectFrom, val }) =>
          selectFrom('tenants')
            .select([val(snapshot).as('tenant'), 'record', 'tenant as snapshot_of', val(saved_at).as('saved_at')])
            .where('tenant', '=', tenant),
        ),
    ),
    listSnapshots: query(({ tenant }: TenantKey) =>
      db.selectFrom('tenants').select(['tenant', 'saved_at']).where('snapshot_of', '=', tenant).orderBy('seq'),
    ),
    newestLead: query(({ tenant }: TenantKey) =>
      db.selectFrom('leads').select('lead_id').where('tenant', '=', tenant).orderBy('lead_id', 'desc').limit(one),
    ),
    newestCallback: query(({ tenant }: TenantKey) =>
      db
        .selectFrom('callbacks')
        .select('callback_id')
        .where('tenant', '=', tenant)
        // Ids grow as they are given, and there is an index of them.
        .orderBy('callback_id', 'desc')
        .limit(one),
    ),
  }
}
