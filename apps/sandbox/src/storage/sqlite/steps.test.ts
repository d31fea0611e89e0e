import { DatabaseSync } from 'node:sqlite'
import { type Table, tables } from '@lead-distribution/simulator'
import { leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it } from 'vitest'
import { expectIndexes } from '../contract/query-plans.fixture.ts'
import { closing, contentOf, fill, primitivesOf, restoreSnapshot, temporaryFile } from '../contract/storage.fixture.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

/** Enough for several steps in every table. */
const count = 300

/** Creates a file with a tenant that has many of everything, and other tenants around it. */
async function largeTenant(file = temporaryFile()) {
  const storage = closing(await openSqliteStorage(file))
  for (const tenant of ['before', 't1', 'z']) await storage.addTenant(tenantRecord(tenant))
  for (const tenant of ['before', 't1', 'z']) await fill(storage, tenant, 'few')
  await storage.of('t1').transact(async tables => {
    for (let n = 0; n < count; n++) {
      const lead_id = `m${n}`
      await tables.claimCustomer('p1', `${lead_id}@example.com`, lead_id)
      await tables.addLead(leadRecord(lead_id))
      for (const event of ['sale', 'lead', 'approval'])
        await tables.claimEvent({
          lead_id,
          advertiser_id: 'a1',
          event,
          reported_as: event,
          via: 'pixel',
          recorded_at: n,
        })
      await tables.setChain(lead_id, n)
      // All due at once, added in reverse order of their ids.
      await tables.addReport({ report_id: `r${count - n}`, lead_id, advertiser_id: 'a1', event: 'sale', due_at: 7 })
    }
  })
  return { storage, file }
}

/** Returns the number of rows for each key without a name. */
function leftovers(file: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = tables.flatMap(({ name: table }) =>
    database
      .prepare(
        `select '${table}', tenant, count(*) from ${table} where tenant not in (select tenant from tenants where name is not null) group by tenant`,
      )
      .all(),
  )
  const nameless = database.prepare('select tenant from tenants where name is null').all()
  database.close()
  return [...rows, ...nameless]
}

it('copies more than one step, completely and in order, while other tenants continue', async () => {
  expectIndexes()
  const { storage } = await largeTenant()
  const content = async () => ({
    marked: await contentOf(storage, 't1', ['few', 'm7']),
    leads: await storage.of('t1').transact(tables => tables.listLeads({ limit: 9_999 })),
    reports: await storage.of('t1').transact(tables => tables.listDueReports(7, 9_999)),
    events: await storage.of('t1').transact(tables => tables.listEvents(`m${count - 1}`)),
    chain: await storage.of('t1').transact(tables => tables.readChain(`m${count - 1}`)),
  })
  const before = await content()
  let meanwhile = 0
  const saved = storage.saveSnapshot('t1', { name: 'a', saved_at: 1 }).then(() => true)
  for (let isOver = false; !isOver; meanwhile++) {
    await storage.of('z').transact(tables => tables.setChain('meanwhile', meanwhile))
    isOver = await Promise.race([saved, Promise.resolve(false)])
  }
  expect(meanwhile).toBeGreaterThan(10)
  await storage.clearTenant(tenantRecord('t1'))
  await restoreSnapshot(storage, 't1', 'a')
  expect(await content()).toEqual(before)
})

it('leaves nothing behind after a replacement or deletion', async () => {
  const { storage, file } = await largeTenant()
  await storage.saveSnapshot('t1', { name: 'a', saved_at: 1 })
  await storage.saveSnapshot('t1', { name: 'a', saved_at: 2 })
  await restoreSnapshot(storage, 't1', 'a')
  await storage.clearTenant(tenantRecord('t1'))
  await storage.deleteTenant('t1')
  await storage.addTenant(tenantRecord('t1'))
  await storage.close()
  expect(leftovers(file)).toEqual([])
})

it('removes the leftovers of a killed process', async () => {
  const { storage, file } = await largeTenant()
  await storage.close()
  const database = new DatabaseSync(file)
  // A copy that never got its name, and a tenant that lost it.
  database.exec(`insert into tenants (tenant, record) values ('/copy', '{}');
    insert into customers (tenant, email, product_id) select distinct '/copy', email, product_id from customers;
    update tenants set name = null where name = 't1'`)
  database.close()
  expect(leftovers(file).length).toBeGreaterThan(5)
  const next = closing(await openSqliteStorage(file))
  expect((await next.listTenants()).map(({ tenant }) => tenant)).toEqual(['before', 'z'])
  await next.close()
  expect(leftovers(file)).toEqual([])
})

/** Returns a record for any table, with a value in every column. */
function recordOf({ columns, packed, isFlat }: Table): object {
  const values = Object.entries(columns).map(([name, type]) => [name, type === 'text' ? 'pending' : 1])
  const fields = Object.keys(packed).map(name => [name, []])
  const { submission } = leadRecord('l1')
  const more = isFlat ? {} : { more: 'kept', submission, attempts: [{ at: 1 }] }
  return { ...Object.fromEntries([...values, ...fields]), ...more }
}

it('copies every column of every table except leases', async () => {
  const file = temporaryFile()
  const storage = await openSqliteStorage(file)
  await storage.addTenant(tenantRecord('t1'))
  await storage.of('t1').transact(async content => {
    for (const table of tables) primitivesOf(content).insert(table, recordOf(table))
  })
  await storage.saveSnapshot('t1', { name: 'a', saved_at: 1 })
  await storage.close()

  const database = new DatabaseSync(file)
  const rows = (table: Table, name: string) =>
    database
      .prepare(`select * from ${table.name} where tenant = (select tenant from tenants where name = ?)`)
      .all(name)
      .map(({ seq: _, tenant: __, ...row }) => row)
  for (const table of tables) {
    const [row = expect.unreachable()] = rows(table, 't1')
    expect(Object.values(row)).not.toContain(null)
    const leases = Object.fromEntries(table.leases.map(column => [column, null]))
    expect(rows(table, 't1/a')).toEqual([{ ...row, ...leases }])
  }
  database.close()
})
