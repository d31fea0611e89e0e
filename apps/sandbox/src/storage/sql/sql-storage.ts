import type { SandboxStorage, SandboxTables, TenantRecord } from '@lead-distribution/simulator'
import { callbackTables } from './callbacks.ts'
import { incomingTables } from './inbox-and-journal.ts'
import { leadStatements, leadTables, type OldLead } from './leads.ts'
import { reportTables } from './reports-and-documents.ts'
import { type Executor, statement, type TableContext, type TenantKey, type Transactor } from './statement.ts'

/**
 * Statements for tenants and their snapshots. A snapshot is a tenant at rest, with everything that the tenant had; its
 * key is the tenant's name and its own with a slash between, which no name of a tenant holds.
 */
export const tenantStatements = {
  /** Changes no row where the name is taken. A record is a `TenantRecord` as JSON. */
  addTenant: statement<TenantKey & { record: string }>(
    'insert into tenants (tenant, record) values (:tenant, :record) on conflict (tenant) do nothing',
  ),
  replaceTenant: statement<TenantKey & { record: string }>(
    'update tenants set record = :record where tenant = :tenant',
  ),
  /** Everything that it has goes with it, by the foreign keys. */
  deleteTenant: statement<TenantKey>('delete from tenants where tenant = :tenant'),
  findTenant: statement<TenantKey, { record: string }>('select record from tenants where tenant = :tenant'),
  listTenants: statement<object, { record: string }>(
    'select record from tenants where snapshot_of is null order by seq',
  ),
  /** Changes no row where there is no such tenant. `saved_at` is real time. */
  addSnapshot: statement<TenantKey & { snapshot: string; saved_at: number }>(
    `insert into tenants (tenant, record, snapshot_of, saved_at)
     select :snapshot, record, tenant, :saved_at from tenants where tenant = :tenant`,
  ),
  listSnapshots: statement<TenantKey, { tenant: string; saved_at: number }>(
    'select tenant, saved_at from tenants where snapshot_of = :tenant order by seq',
  ),
  /** Writes as much as a small lead: a row that stays the same would not be written. JSON may end with a space. */
  touchFirst: statement<object>(
    `update tenants set record = case when record like '% ' then rtrim(record) else record || ' ' end
     where seq = (select min(seq) from tenants)`,
  ),
}

/** The sandbox's storage over a SQL database that has the tables. */
export function createSqlStorage({ transact, close }: Transactor): SandboxStorage {
  const toRow = (record: TenantRecord) => ({ tenant: record.tenant, record: JSON.stringify(record) })
  const replace = async (db: Executor, record: TenantRecord) => {
    const changed = await db.run(tenantStatements.replaceTenant, toRow(record))
    if (changed === 0) throw new Error(`There is no tenant ${record.tenant}.`)
  }

  return {
    of: tenant => ({ transact: work => transact(db => work(tablesOf({ db, tenant }))) }),
    async addTenant(record) {
      return (await transact(db => db.run(tenantStatements.addTenant, toRow(record)))) === 1
    },
    replaceTenant: record => transact(db => replace(db, record)),
    clearTenant: record =>
      transact(async db => {
        await replace(db, record)
        await clearContent(db, record.tenant)
      }),
    async deleteTenant(tenant) {
      await transact(db => db.run(tenantStatements.deleteTenant, { tenant }))
    },
    async listTenants() {
      return (await transact(db => db.all(tenantStatements.listTenants, {}))).map(({ record }) => JSON.parse(record))
    },
    ...sqlSnapshots(transact),
    removeLeads: (tenant, through, limit) =>
      transact(async db => {
        const old = await db.all(leadStatements.oldestLeads, { tenant, through, limit })
        for (const lead of old) for (const remove of removals) await db.run(remove, { tenant, ...lead })
        return old.length
      }),
    health: () =>
      transact(db => db.run(tenantStatements.touchFirst, {})).then(
        () => 'ok',
        (error: Error) => ({ problem: error.message }),
      ),
    close,
  }
}

const tableMethods = {
  ...leadTables,
  ...callbackTables,
  ...reportTables,
  ...incomingTables,
} satisfies SandboxTables

/**
 * One tenant's tables for the length of one transaction. The methods are shared: made anew for each transaction they
 * cost the busiest endpoint a twentieth, most of it in collecting them again.
 */
function tablesOf({ db, tenant }: TableContext): SandboxTables {
  return Object.assign(Object.create(tableMethods), { db, tenant })
}

type Snapshots = Pick<SandboxStorage, 'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot'>

function sqlSnapshots(transact: Transactor['transact']): Snapshots {
  const keyOf = (tenant: string, name: string) => `${tenant}/${name}`

  return {
    async saveSnapshot(tenant, { name, saved_at }) {
      const snapshot = keyOf(tenant, name)
      await transact(async db => {
        await db.run(tenantStatements.deleteTenant, { tenant: snapshot })
        const added = await db.run(tenantStatements.addSnapshot, { tenant, snapshot, saved_at })
        if (added === 0) throw new Error(`There is no tenant ${tenant}.`)
        await copyContent(db, { from: tenant, to: snapshot })
      })
    },
    restoreSnapshot: (tenant, name, finish) =>
      transact(async db => {
        const snapshot = keyOf(tenant, name)
        const row = await db.first(tenantStatements.findTenant, { tenant: snapshot })
        if (!row) return undefined
        await clearContent(db, tenant)
        await copyContent(db, { from: snapshot, to: tenant })
        const restored = await finish(JSON.parse(row.record), tablesOf({ db, tenant }))
        await db.run(tenantStatements.replaceTenant, { tenant, record: JSON.stringify(restored.record) })
        return restored
      }),
    async listSnapshots(tenant) {
      const rows = await transact(db => db.all(tenantStatements.listSnapshots, { tenant }))
      return rows.map(({ tenant: key, saved_at }) => ({ name: key.slice(keyOf(tenant, '').length), saved_at }))
    },
    async deleteSnapshot(tenant, name) {
      await transact(db => db.run(tenantStatements.deleteTenant, { tenant: keyOf(tenant, name) }))
    },
  }
}

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

/** What removes a lead with all that belongs to it. A report's id begins with that of its lead; `0` comes after `/`. */
const removals = [
  `delete from customers where tenant = :tenant and product_id = :product_id and email = :email
     and (lead_id = :lead_id or (lead_id is null and refused_at <= :received_at))`,
  'delete from events where tenant = :tenant and lead_id = :lead_id',
  'delete from callbacks where tenant = :tenant and lead_id = :lead_id',
  `delete from reports where tenant = :tenant and report_id > :lead_id || '/' and report_id < :lead_id || '0'`,
  'delete from leads where tenant = :tenant and lead_id = :lead_id',
].map(sql => statement<TenantKey & OldLead>(sql))

/** Copies everything that a tenant has to another that has nothing. The database does it: no row is read into memory. */
async function copyContent(db: Executor, ends: { from: string; to: string }): Promise<void> {
  for (const copy of copies) await db.run(copy, ends)
}

/** Removes everything that a tenant has. */
async function clearContent(db: Executor, tenant: string): Promise<void> {
  for (const clear of clears) await db.run(clear, { tenant })
}
