import type { SandboxStorage, TenantRecord } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor, Transactor } from '../sql/statement.ts'
import { sqlSnapshots } from './sql-snapshots.ts'
import { sqlTables } from './sql-tables.ts'
import { clearContent } from './tenant-content.ts'

/** The sandbox's storage over a SQL database that has the tables. */
export function createSqlStorage({ transact, close }: Transactor, statements: Statements): SandboxStorage {
  const toRow = (record: TenantRecord) => ({ tenant: record.tenant, record: JSON.stringify(record) })
  const replace = async (db: Executor, record: TenantRecord) => {
    const changed = await db.run(statements.replaceTenant, toRow(record))
    if (changed === 0) throw new Error(`There is no tenant ${record.tenant}.`)
  }

  return {
    of: tenant => ({ transact: work => transact(db => work(sqlTables({ db, statements, tenant }))) }),
    async addTenant(record) {
      return (await transact(db => db.run(statements.addTenant, toRow(record)))) === 1
    },
    replaceTenant: record => transact(db => replace(db, record)),
    clearTenant: record =>
      transact(async db => {
        await replace(db, record)
        await clearContent(db, statements, record.tenant)
      }),
    async deleteTenant(tenant) {
      await transact(db => db.run(statements.deleteTenant, { tenant }))
    },
    async listTenants() {
      return (await transact(db => db.all(statements.listTenants, {}))).map(({ record }) => JSON.parse(record))
    },
    newestIds(tenant) {
      return transact(async db => {
        const lead = await db.first(statements.newestLead, { tenant })
        const callback = await db.first(statements.newestCallback, { tenant })
        return { lead_id: lead?.lead_id, callback_id: callback?.callback_id }
      })
    },
    ...sqlSnapshots({ transact }, statements),
    close,
  }
}
