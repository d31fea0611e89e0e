import type { Storage } from '@lead-distribution/engine'
import {
  type SandboxStorage,
  type SandboxTables,
  StorageUnavailable,
  type TenantRecord,
} from '@lead-distribution/simulator'
import { callbackTables } from './callbacks.ts'
import { copyContent, readContent } from './content.ts'
import { customerTables } from './customers.ts'
import { eventTables } from './events.ts'
import { incomingTables } from './inbox-and-journal.ts'
import { leadStatements, leadTables, type OldLead } from './leads.ts'
import { parseStored, reportTables } from './reports-and-documents.ts'
import { type Executor, statement, type TableContext, type TenantKey, type Transactor } from './statement.ts'
import { createTenantContent, type TenantContent } from './tenant-content.ts'
import { dropName, findTenant, newKey, tenantStatements } from './tenants.ts'

/** The sandbox's storage over a SQL database that has the tables. `onRemoved` is called when old content is gone. */
export function createSqlStorage(transactor: Transactor, place: string, onRemoved = () => {}): SandboxStorage {
  const { transact, close } = transactor
  const toRow = (record: TenantRecord) => ({ name: record.tenant, record: JSON.stringify(record) })
  const content = createTenantContent(transactor, onRemoved)

  return {
    place,
    of: (name, expected) => ({
      transact: work =>
        content.transact(name, (db, tenant) => {
          if (expected !== undefined && expected() !== tenant) throw new StorageUnavailable(replaced)
          return work(tablesOf({ db, tenant }))
        }),
    }),
    addTenant: record =>
      content.alone(record.tenant, async () => {
        const row = { tenant: newKey(), ...toRow(record) }
        return (await transact(db => db.run(tenantStatements.addTenant, row))) === 1
      }),
    replaceTenant: record =>
      content.transact(record.tenant, async db => {
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
      const rows = await transact(db => db.all(tenantStatements.listTenants, {}))
      return rows.map(({ name, record }) => ({ tenant: name, record: parseStored(record) }))
    },
    async readRaw(name, maxCharacters) {
      const found = await transact(db => db.first(tenantStatements.find, { name }))
      const tables = found && (await readContent(transact, found.tenant, maxCharacters))
      return tables && { record: parseStored(found.record), tables }
    },
    ...sqlSnapshots(transact, content),
    removeLeads: (name, through, limit) =>
      content.transact(name, async (db, tenant) => {
        const old = await db.all(leadStatements.oldestLeads, { tenant, through, limit })
        for (const lead of old) for (const remove of removals) await db.write(remove, { tenant, ...lead })
        return old.length
      }),
    health: () =>
      transact(db => db.run(tenantStatements.touchFirst, {})).then(
        () => 'ok',
        (error: Error) => ({ problem: error.message }),
      ),
    close: () => close(content.finishRemoval),
  }
}

const replaced = 'The tenant was reset or restored by another process meanwhile: send it again.'

const tableMethods = {
  ...customerTables,
  ...leadTables,
  ...eventTables,
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

type Snapshots = Pick<
  SandboxStorage,
  'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'openSnapshot' | 'addSnapshot'
>

function sqlSnapshots(transact: Transactor['transact'], content: TenantContent): Snapshots {
  const nameOf = (tenant: string, snapshot: string) => `${tenant}/${snapshot}`
  const storageOf = (key: string, run = transact): Storage<SandboxTables> => ({
    transact: work => run(db => work(tablesOf({ db, tenant: key })), key),
  })
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
          await copyContent(transact, { from: from.tenant, to: key })
          await transact(db => become(db, key, { name, of: from.tenant, saved_at }))
        })
      }),
    openSnapshot: (tenant, snapshot) =>
      transact(async db => {
        const found = await db.first(tenantStatements.findSnapshot, { name: nameOf(tenant, snapshot) })
        if (!found) return undefined
        const { tenant: key, record, saved_at } = found
        return { name: snapshot, saved_at, record: JSON.parse(record), storage: storageOf(key) }
      }),
    async addSnapshot(tenant, { name, saved_at, record }, fill) {
      await content.stage(JSON.stringify(record), async (key, transact) => {
        await fill(storageOf(key, transact))
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
            await copyContent(transact, { from: from.tenant, to })
          },
          async finish(db, key) {
            const restored = await finish(JSON.parse(from.record), tablesOf({ db, tenant: key }))
            await db.write(tenantStatements.replaceRecord, { tenant: key, record: JSON.stringify(restored.record) })
            return restored
          },
        })
      }),
    listSnapshots: tenant =>
      content.transact(tenant, async (db, key) => {
        const rows = await db.all(tenantStatements.listSnapshots, { tenant: key })
        return rows.map(({ name, saved_at }) => ({ name: name.slice(nameOf(tenant, '').length), saved_at }))
      }),
    deleteSnapshot: (tenant, name) =>
      content.alone(tenant, async () => {
        await transact(db => dropName(db, nameOf(tenant, name)))
      }),
  }
}

/** What removes a lead with all that belongs to it. A report's id begins with that of its lead; `0` comes after `/`. */
const removals = [
  `delete from customers where tenant = :tenant and product_id = :product_id and email = :email
     and (lead_id = :lead_id or (lead_id is null and refused_at <= :received_at))`,
  'delete from events where tenant = :tenant and lead_id = :lead_id',
  'delete from callbacks where tenant = :tenant and lead_id = :lead_id',
  `delete from reports where tenant = :tenant and report_id > :lead_id || '/' and report_id < :lead_id || '0'`,
  'delete from leads where tenant = :tenant and lead_id = :lead_id',
].map(sql => statement<TenantKey & OldLead>(sql))
