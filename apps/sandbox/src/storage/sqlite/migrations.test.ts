import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import {
  callbackRecord,
  closing,
  contentOf,
  fill,
  leadRecord,
  listRecords,
  restoreSnapshot,
  temporaryFile,
  tenantRecord,
} from '../contract/storage.fixture.ts'
import { toCallbackRow } from '../sql/callback-row.ts'
import { toLeadRow } from '../sql/leads.ts'
import { migrations } from '../sql/migrations/index.ts'
import { sqliteDialect } from '../sql/migrations/migration.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

/** A file after only the first migration, with a tenant that has a lead and a callback on its way. */
function firstFile(): string {
  const file = temporaryFile()
  const database = new DatabaseSync(file)
  database.exec(migrations[0]?.(sqliteDialect) ?? '')
  database.exec('pragma application_id = 0x6c656164; pragma user_version = 1')
  const insert = (table: string, row: object) => {
    const columns = Object.keys(row)
    database
      .prepare(`insert into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`)
      .run(...Object.values(row))
  }
  insert('tenants', { tenant: 't1', record: JSON.stringify(tenantRecord('t1')) })
  insert('leads', toLeadRow('t1', leadRecord('l1')))
  insert('customers', { tenant: 't1', product_id: 'p1', email: 'l1@example.com', lead_id: 'l1' })
  const { held: _, resent_after: __, ...callback } = toCallbackRow('t1', callbackRecord('c1', 'l1'))
  insert('callbacks', { ...callback, leased_until: 9_999 })
  database.close()
  return file
}

it('brings a file of the first version up to date, and serves what is in it', async () => {
  const file = firstFile()
  await (await openSqliteStorage(file)).close()
  const storage = closing(await openSqliteStorage(file))
  expect(await listRecords(storage)).toEqual([tenantRecord('t1')])
  const lease = { due_by: 100, now: 0, until: 1_000, limit: 9 }
  await storage.of('t1').transact(async tables => {
    expect(await tables.findLead('l1')).toEqual(leadRecord('l1'))
    expect(await tables.claimCustomer('p1', 'l1@example.com', 'l2')).toBe(false)
    expect(await tables.listLeads({ email: 'l1@example.com', limit: 9 })).toEqual([leadRecord('l1')])
    expect(await tables.leaseDueCallbacks(lease)).toEqual([callbackRecord('c1', 'l1')])
    expect(await tables.readDocuments()).toEqual({})
  })
  await fill(storage, 't1', 'new')
  const before = await contentOf(storage, 't1', ['new'])
  await storage.saveSnapshot('t1', { name: 'a', saved_at: 1 })
  await storage.clearTenant(tenantRecord('t1'))
  await restoreSnapshot(storage, 't1', 'a')
  expect(await contentOf(storage, 't1', ['new'])).toEqual(before)
})

it('copies every column of every table that a tenant has something in', async () => {
  const file = temporaryFile()
  const storage = await openSqliteStorage(file)
  await storage.addTenant(tenantRecord('t1'))
  await fill(storage, 't1', 'new')
  await storage.saveSnapshot('t1', { name: 'a', saved_at: 1 })
  await storage.close()

  const database = new DatabaseSync(file)
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and sql like '%tenant text%' and name <> 'tenants'")
    .all()
    .map(({ name }) => String(name))
  expect(names).toHaveLength(9)
  const rows = (table: string, name: string) =>
    database
      .prepare(`select * from ${table} where tenant = (select tenant from tenants where name = ?)`)
      .all(name)
      .map(({ seq: _, tenant: __, ...row }) => row)
  for (const table of names) {
    expect(rows(table, 't1')).not.toEqual([])
    expect(rows(table, 't1/a')).toEqual(rows(table, 't1'))
  }
  database.close()
})
