import { type Kysely, sql } from 'kysely'
import { type ContentTable, contentTableNames, contentTables } from './content-tables.ts'
import type { Database } from './database.ts'
import { type Query, query } from './query.ts'
import type { TenantKey } from './tenant-queries.ts'

type Copies = { readonly [Table in ContentTable as `copy_${Table}`]: Query<{ from: string; to: string }, unknown> }
type Clears = { readonly [Table in ContentTable as `clear_${Table}`]: Query<TenantKey, unknown> }

/** Queries that copy all that a tenant has of a table to another tenant, in its order, and that remove it. */
export function contentQueries(db: Kysely<Database>): Copies & Clears {
  const queries = contentTableNames.flatMap(table => [
    [`copy_${table}`, copy(db, table)],
    [`clear_${table}`, query(({ tenant }: TenantKey) => db.deleteFrom(table).where('tenant', '=', tenant))],
  ])
  return Object.fromEntries(queries)
}

function copy(db: Kysely<Database>, table: ContentTable) {
  const { columns, order } = contentTables[table]
  const copied = sql.join(Object.keys(columns).map(column => sql.ref(column)))
  return query(({ from, to }: { from: string; to: string }) => {
    const statement = sql`insert into ${sql.table(table)} ("tenant", ${copied})
      select ${to}, ${copied} from ${sql.table(table)} where "tenant" = ${from} order by ${sql.ref(order)}`
    return { compile: () => statement.compile(db) }
  })
}
