import type { SandboxStorage, TenantRecord } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Transactor } from '../sql/statement.ts'
import { sqlTables } from './sql-tables.ts'

/** The sandbox's storage over a SQL database that has the tables. */
export function createSqlStorage({ transact, close }: Transactor, statements: Statements): SandboxStorage {
  const toRow = (record: TenantRecord) => ({ tenant: record.tenant, record: JSON.stringify(record) })

  return {
    of: tenant => ({ transact: work => transact(db => work(sqlTables(db, statements, tenant))) }),
    async addTenant(record) {
      return (await transact(db => db.run(statements.addTenant, toRow(record)))) === 1
    },
    async replaceTenant(record) {
      const changed = await transact(db => db.run(statements.replaceTenant, toRow(record)))
      if (changed === 0) throw new Error(`There is no tenant ${record.tenant}.`)
    },
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
    async addInboxEntry(tenant, entry) {
      await transact(db => db.run(statements.addInboxEntry, { tenant, entry: JSON.stringify(entry) }))
    },
    async listInbox(tenant) {
      return (await transact(db => db.all(statements.listInbox, { tenant }))).map(({ entry }) => JSON.parse(entry))
    },
    close,
  }
}
