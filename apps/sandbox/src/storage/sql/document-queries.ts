import type { TenantDocuments } from '@lead-distribution/simulator'
import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { query } from './query.ts'
import type { TenantKey } from './tenant-queries.ts'

/** Queries for chains and documents. */
export function documentQueries(db: Kysely<Database>) {
  return {
    readChain: query(({ tenant, chain }: TenantKey & { chain: string }) =>
      db.selectFrom('chains').select('plays').where('tenant', '=', tenant).where('chain', '=', chain),
    ),
    setChain: query(({ tenant, chain, plays }: TenantKey & { chain: string; plays: number }) =>
      db
        .insertInto('chains')
        .values({ tenant, chain, plays })
        .onConflict(conflict =>
          conflict.columns(['tenant', 'chain']).doUpdateSet(row => ({ plays: row.ref('excluded.plays') })),
        ),
    ),
    readDocuments: query(({ tenant }: TenantKey) =>
      db.selectFrom('documents').select(['name', 'value']).where('tenant', '=', tenant),
    ),
    writeDocument: query(({ tenant, name, value }: TenantKey & { name: keyof TenantDocuments; value: string }) =>
      db
        .insertInto('documents')
        .values({ tenant, name, value })
        .onConflict(conflict =>
          conflict.columns(['tenant', 'name']).doUpdateSet(row => ({ value: row.ref('excluded.value') })),
        ),
    ),
  }
}
