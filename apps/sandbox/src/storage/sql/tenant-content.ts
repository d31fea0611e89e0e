import { type Executor, statement, type TenantKey } from './statement.ts'

/**
 * Every table with content of tenants: the columns that a copy takes, and the order that it keeps. Leases are not
 * copied, and rows are numbered anew.
 */
const contentTables: Readonly<Record<string, { columns: string; order: string }>> = {
  customers: { columns: 'product_id, email, lead_id, refused_at', order: 'product_id' },
  leads: {
    columns: 'lead_id, product_id, email, status, rejection_reason, received_at, submission, trace, deliveries',
    order: 'lead_id',
  },
  events: { columns: 'lead_id, advertiser_id, event, recorded_at, report', order: 'seq' },
  callbacks: {
    columns: 'callback_id, lead_id, event, url, state, due_at, attempts, held, resent_after',
    order: 'seq',
  },
  inbox: { columns: 'entry', order: 'seq' },
  requests: { columns: '"first", "last", entries', order: '"first"' },
  reports: { columns: 'report_id, lead_id, advertiser_id, event, due_at', order: 'seq' },
  chains: { columns: 'chain, plays', order: 'chain' },
  documents: { columns: 'name, value', order: 'name' },
}

const copies = Object.entries(contentTables).map(([table, { columns, order }]) =>
  statement<{ from: string; to: string }>(
    `insert into ${table} (tenant, ${columns}) select :to, ${columns} from ${table} where tenant = :from order by ${order}`,
  ),
)

const clears = Object.keys(contentTables).map(table =>
  statement<TenantKey>(`delete from ${table} where tenant = :tenant`),
)

/** Copies everything that a tenant has to another that has nothing. The database does it: no row is read into memory. */
export async function copyContent(db: Executor, ends: { from: string; to: string }): Promise<void> {
  for (const copy of copies) await db.run(copy, ends)
}

/** Removes everything that a tenant has. */
export async function clearContent(db: Executor, tenant: string): Promise<void> {
  for (const clear of clears) await db.run(clear, { tenant })
}
