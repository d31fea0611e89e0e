import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { query } from './query.ts'

/** What identifies a tenant. */
export interface TenantKey {
  tenant: string
}

/** Queries for tenants and what the sandbox keeps of each. */
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
    listTenants: query(() => db.selectFrom('tenants').select('record').orderBy('seq')),
    tenantOfLead: query(({ lead_id }: { lead_id: string }) =>
      db.selectFrom('leads').select('tenant').where('lead_id', '=', lead_id),
    ),
    countLeads: query(({ tenant }: TenantKey) =>
      db
        .selectFrom('leads')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('tenant', '=', tenant),
    ),
    countCallbacks: query(({ tenant }: TenantKey) =>
      db
        .selectFrom('callbacks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('tenant', '=', tenant),
    ),
    addInboxEntry: query(({ tenant, entry }: TenantKey & { entry: string }) =>
      db.insertInto('inbox').values({ tenant, entry }),
    ),
    listInbox: query(({ tenant }: TenantKey) =>
      db.selectFrom('inbox').select('entry').where('tenant', '=', tenant).orderBy('seq'),
    ),
  }
}
