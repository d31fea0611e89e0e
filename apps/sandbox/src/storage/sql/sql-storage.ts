import {
  everyTenant,
  type OpenSnapshot,
  parseStored,
  type SandboxStorage,
  type SandboxTables,
  sandboxTables,
  TenantChanged,
  type TenantRecord,
} from '@lead-distribution/simulator'
import { readContent } from './content.ts'
import { SqlTransaction } from './sql-transaction.ts'
import type { CheckLease, Executor, Transactor } from './statement.ts'
import { createTenantContent, type TenantContent } from './tenant-content.ts'
import { dropName, findTenant, newKey, tenantStatements } from './tenants.ts'

/**
 * Creates the sandbox's storage over a SQL database that has the tables. Calls `onRemoved` after old content or leads
 * were removed, `checkLease` in each transaction under a lease, and `onError` if old content could not be removed.
 */
export function createSqlStorage(
  transactor: Transactor,
  place: string,
  onRemoved = () => {},
  checkLease: CheckLease = () => {},
  onError?: (error: unknown) => void,
): SandboxStorage {
  const { transact, read, close } = transactor
  const toRow = (record: TenantRecord) => ({ name: record.tenant, record: JSON.stringify(record) })
  const content = createTenantContent(transactor, onRemoved, checkLease, onError)

  return {
    place,
    of(name, access) {
      const said = async (error: unknown): Promise<never> => {
        // If the tenant is gone, report that instead.
        if (error instanceof TenantChanged) await read(db => findTenant(db, name))
        throw error
      }
      return {
        transact: work => content.transact(name, (db, tenant) => work(tablesOf(db, tenant)), access).catch(said),
        read: work => content.read(name, (db, tenant) => work(tablesOf(db, tenant)), access).catch(said),
      }
    },
    addTenant: record =>
      content.alone(record.tenant, async () => {
        const row = { tenant: newKey(), ...toRow(record) }
        const added = await transact(db => {
          checkLease(db, everyTenant, 'keys')
          return db.run(tenantStatements.addTenant, row)
        })
        return added === 1
      }),
    replaceTenant: record =>
      content.transact(record.tenant, async db => {
        checkLease(db, record.tenant, 'change')
        checkLease(db, everyTenant, 'keys')
        await db.write(tenantStatements.replaceTenant, toRow(record))
      }),
    clearTenant: record =>
      content.alone(record.tenant, () => content.replace(record.tenant, { record: JSON.stringify(record) })),
    async deleteTenant(name) {
      await content.alone(name, () =>
        transact(async db => {
          const found = await db.first(tenantStatements.find, { name })
          if (found) await db.run(tenantStatements.dropSnapshots, found)
          await dropName(db, name)
        }),
      )
    },
    async listTenants() {
      const rows = await read(db => db.all(tenantStatements.listTenants, {}))
      return rows.map(({ name, record }) => ({ tenant: name, record: parseStored(record) }))
    },
    async readRaw(name, maxCharacters) {
      const found = await read(db => db.first(tenantStatements.find, { name }))
      const tables = found && (await readContent(read, found.tenant, maxCharacters))
      return tables && { record: parseStored(found.record), tables }
    },
    ...sqlSnapshots(transactor, content),
    erase: onRemoved,
    health: () =>
      transact(db => db.run(tenantStatements.touchFirst, {})).then(
        () => 'ok',
        (error: Error) => ({ problem: error.message }),
      ),
    close: () => close(content.finishRemoval),
  }
}

function tablesOf(db: Executor, tenant: string): SandboxTables {
  return sandboxTables(new SqlTransaction(db, tenant))
}

type Snapshots = Pick<
  SandboxStorage,
  'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'openSnapshot' | 'addSnapshot'
>

function sqlSnapshots({ transact, read }: Transactor, content: TenantContent): Snapshots {
  const nameOf = (tenant: string, snapshot: string) => `${tenant}/${snapshot}`
  const become = async (db: Executor, tenant: string, named: { name: string; of: string; saved_at: number }) => {
    await dropName(db, named.name)
    await db.write(tenantStatements.becomeSnapshot, { tenant, ...named })
  }

  return {
    saveSnapshot: (tenant, { name: snapshot, saved_at }) =>
      content.alone(tenant, async () => {
        const name = nameOf(tenant, snapshot)
        const { record } = await transact(db => findTenant(db, tenant))
        await content.stage(record, async (key, transact) => {
          const from = await transact(db => findTenant(db, tenant))
          await content.copy(transact, { from: from.tenant, to: key })
          await transact(db => become(db, key, { name, of: from.tenant, saved_at }))
        })
      }),
    openSnapshot: (tenant, snapshot) =>
      read(async db => {
        const found = await db.first(tenantStatements.findSnapshot, { name: nameOf(tenant, snapshot) })
        if (!found) return undefined
        const { tenant: key, record, saved_at } = found
        const storage: OpenSnapshot['storage'] = { read: work => read(db => work(tablesOf(db, key)), key) }
        return { name: snapshot, saved_at, record: JSON.parse(record), storage }
      }),
    async addSnapshot(tenant, { name, saved_at, record }, fill) {
      await content.stage(JSON.stringify(record), async (key, transact) => {
        await fill({ transact: work => transact(db => work(tablesOf(db, key)), key) })
        await content.afterStaging(tenant, () =>
          transact(async db => {
            const { tenant: of } = await findTenant(db, tenant)
            await become(db, key, { name: nameOf(tenant, name), of, saved_at })
          }),
        )
      })
    },
    restoreSnapshot: (tenant, snapshot, finish) =>
      content.alone(tenant, async () => {
        const from = await transact(db => db.first(tenantStatements.find, { name: nameOf(tenant, snapshot) }))
        if (!from) return undefined
        return content.replace(tenant, {
          record: from.record,
          async fill(to, transact) {
            const from = await transact(db => findTenant(db, nameOf(tenant, snapshot)))
            await content.copy(transact, { from: from.tenant, to })
          },
          async finish(db, key) {
            const restored = await finish(JSON.parse(from.record), tablesOf(db, key))
            await db.write(tenantStatements.replaceRecord, { tenant: key, record: JSON.stringify(restored.record) })
            return restored
          },
        })
      }),
    listSnapshots: tenant =>
      content.read(tenant, async (db, key) => {
        const rows = await db.all(tenantStatements.listSnapshots, { tenant: key })
        return rows.map(({ name, saved_at }) => ({ name: name.slice(nameOf(tenant, '').length), saved_at }))
      }),
    deleteSnapshot: (tenant, name) =>
      content.alone(tenant, async () => {
        await transact(db => dropName(db, nameOf(tenant, name)))
      }),
  }
}
