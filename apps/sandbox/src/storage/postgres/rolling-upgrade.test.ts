import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createSandboxClient } from '@lead-distribution/control-client'
import { StorageUnavailable } from '@lead-distribution/simulator'
import { leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { closing } from '../contract/storage.fixture.ts'
import { newestVersion } from '../sql/schema.ts'
import { createDatabase } from './connection.ts'
import { emptyDatabase, query } from './database.fixture.ts'
import { readDatabaseUrl } from './database-url.ts'
import { launch } from './launch.fixture.ts'
import { migrate } from './migrate.ts'
import { openPostgresStorage } from './postgres-storage.ts'

/** Migrates a database like the start of the next version. The earlier version can still write to these tables. */
const upgrade = (url: string) =>
  migrate(createDatabase(readDatabaseUrl(url)), [() => 'alter table leads add column later integer not null default 0'])

/** Finds the statements that wait for a lock on the migrations table. */
const blocked = `select 1 from pg_locks where relation = 'sandbox_versions'::regclass and not granted`

async function opened() {
  const url = await emptyDatabase()
  const storage = closing(await openPostgresStorage(url))
  await storage.addTenant(tenantRecord('t1'))
  return {
    url,
    storage,
    tenant: storage.of('t1'),
    leads: () => query('select lead_id from leads order by lead_id', url),
  }
}

it("waits for the earlier version's current writes, and refuses its later reads and writes", async () => {
  const { url, storage, tenant, leads } = await opened()
  const ends = Promise.withResolvers<void>()
  const wrote = Promise.withResolvers<void>()
  const writing = tenant.transact(async tables => {
    await tables.addLead(leadRecord('l1'))
    await tables.findLead('l1')
    wrote.resolve()
    await ends.promise
  })
  await wrote.promise
  const upgrading = upgrade(url)
  const waiting = () =>
    query(`select 1 from pg_locks where relation = 'sandbox_versions'::regclass and not granted`, url)
  await expect.poll(waiting).toHaveLength(1)
  ends.resolve()
  await Promise.all([writing, upgrading])
  const refused = [
    tenant.transact(tables => tables.addLead(leadRecord('l2'))),
    tenant.transact(tables => tables.claimCustomer('p1', 'l3@example.com', 'l3')),
    storage.addTenant(tenantRecord('t2')),
    storage.saveSnapshot('t1', { name: 'copy', saved_at: 1 }),
    storage.shared?.readChanges(false),
  ]
  for (const error of await Promise.all(refused.map(call => Promise.resolve(call).catch(error => error)))) {
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect(error.message).toContain('upgrade this process')
  }
  expect(await leads()).toEqual([{ lead_id: 'l1' }])
  await expect(openPostgresStorage(url)).rejects.toThrow('by a newer version')
})

it('lets an earlier version finish its transactions before the tables change, and refuses those that begin meanwhile', async () => {
  const { url, storage, tenant, leads } = await opened()
  const changed = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  const writing = tenant.transact(async tables => {
    await tables.findCustomer('p1', 'l1@example.com')
    found.resolve()
    await changed.promise
    await tables.addLead(leadRecord('l1'))
  })
  await found.promise
  const newer = new Client({ connectionString: url })
  await newer.connect()
  onTestFinished(() => newer.end())
  const changing = newer.query(`begin; lock table sandbox_versions in access exclusive mode;
    insert into sandbox_versions values (${newestVersion + 1})`)
  await expect.poll(() => query(blocked, url)).toHaveLength(1)
  changed.resolve()
  await Promise.all([writing, changing])
  const late = tenant.transact(tables => tables.addLead(leadRecord('l2')))
  const snapshot = { name: 'copy', saved_at: 1, record: tenantRecord('t1') }
  const copying = storage.addSnapshot('t1', snapshot, async () => undefined)
  const refused = Promise.all([late, copying].map(call => expect(call).rejects.toThrow('upgrade this process')))
  await expect.poll(() => query(blocked, url)).toHaveLength(2)
  await newer.query('commit')
  await refused
  expect(await leads()).toEqual([{ lead_id: 'l1' }])
})

it('prevents an earlier version from writing ids and rows of streams or journals', async () => {
  const { url, storage } = await opened()
  const shared = storage.shared ?? expect.unreachable()
  const [row] = await query('select tenant from tenants', url)
  const content = String(row?.tenant)
  const endJobs = await shared.countJobs(content)
  const relaxed = storage.of('t1', { content: () => content, isRelaxed: true })
  const events = () => relaxed.transact(async tables => tables.addStreamEvents?.([{ type: 'late', tenant: 't1' }]))
  await events()
  await query(
    `insert into gone (tenant, gone_at) values ('old', now() - interval '2 days');
    update stream_events set at = now() - interval '1 hour'`,
    url,
  )
  const rows = () =>
    query(
      `select (select json_agg(counters) from counters) as counters, (select count(*) from gone) as gone,
      (select count(*) from stream_readers) as readers, (select count(*) from stream_events) as events`,
      url,
    )
  const before = await rows()
  await upgrade(url)
  await expect(shared.reserve(content, 'leads', 1, 1)).rejects.toThrow('upgrade this process')
  await expect(events()).rejects.toThrow('upgrade this process')
  await expect(shared.readChanges(true)).rejects.toThrow('upgrade this process')
  await shared.removeOld()
  await shared.countJobs(content)
  await endJobs()
  expect(await rows()).toEqual(before)
})

it('makes a running server respond 503, and its health says to upgrade it', async () => {
  const url = await emptyDatabase()
  const { child, exit, ready } = launch(url)
  const server = await ready
  const { account } = await createSandboxClient({ baseUrl: server }).createTenant({ name: 'old' })
  const submit = async () => {
    const headers = { 'content-type': 'application/json', apikey: account.publisher.api_key }
    const body = JSON.stringify(createTestLeads(account).distributed())
    return (await fetch(`${server}/api/v1/lead`, { method: 'POST', headers, body })).status
  }
  expect(await submit()).toBe(200)
  await upgrade(url)
  expect(await submit()).toBe(503)
  const health = await fetch(`${server}/_sandbox/health`)
  expect([health.status, await health.json()]).toEqual([
    503,
    { status: 'failing', problem: expect.stringContaining('upgrade this process') },
  ])
  expect((await fetch(`${server}/_sandbox/health/live`)).status).toBe(200)
  expect(await query('select count(*)::int as leads from leads', url)).toEqual([{ leads: 1 }])
  child.kill('SIGTERM')
  expect((await exit).end).toBe(0)
})
