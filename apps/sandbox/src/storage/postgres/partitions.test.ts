import { tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it } from 'vitest'
import { closing, contentOf, fill } from '../contract/storage.fixture.ts'
import { emptyDatabase, query } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'

const contentTables = `select table_name from information_schema.columns
  where column_name = 'tenant' and table_schema = current_schema() and table_name not in ('tenants', 'gone')`

/** Returns the URL of a sandbox's database whose content tables are partitioned by tenant. */
async function partitionedDatabase(): Promise<string> {
  const url = await emptyDatabase()
  await (await openPostgresStorage(url)).close()
  for (const { table_name: table } of await query(contentTables, url)) {
    // PostgreSQL, like Citus, rejects this if a key or unique index lacks the tenant.
    await query(
      `alter table ${table} rename to undivided;
       create table ${table} (like undivided including all) partition by hash (tenant);
       create table ${table}_0 partition of ${table} for values with (modulus 2, remainder 0);
       create table ${table}_1 partition of ${table} for values with (modulus 2, remainder 1);
       drop table undivided;`,
      url,
    )
  }
  return url
}

it('works with tables that PostgreSQL partitions by tenant', async () => {
  const url = await partitionedDatabase()
  const [divided, plain] = [await openPostgresStorage(url), await openPostgresStorage(await emptyDatabase())]
  const names = Array.from({ length: 8 }, (_, n) => `team-${n}`)
  for (const storage of [divided, plain]) {
    closing(storage)
    for (const name of names) {
      await storage.addTenant(tenantRecord(name))
      await fill(storage, name, name)
    }
    await storage.saveSnapshot('team-0', { name: 'saved', saved_at: 1 })
    await storage.clearTenant(tenantRecord('team-0'))
    await storage.restoreSnapshot('team-0', 'saved', async record => ({ record }))
    await storage.of('team-1').transact(tables => tables.removeLeads('team-1-l1', 10))
    await storage.deleteTenant('team-2')
  }
  const kept = names.filter(name => name !== 'team-2')
  for (const name of kept) expect(await contentOf(divided, name, [name])).toEqual(await contentOf(plain, name, [name]))
  const [rows] = await query(
    'select (select count(*) from leads_0) as first, (select count(*) from leads_1) as other',
    url,
  )
  expect(Object.values(rows ?? {}).map(Number)).not.toContain(0)
})
