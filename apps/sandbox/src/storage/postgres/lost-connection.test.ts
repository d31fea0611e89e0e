import { StorageUnavailable } from '@lead-distribution/simulator'
import { leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it, onTestFinished } from 'vitest'
import { closing } from '../contract/storage.fixture.ts'
import { emptyDatabase, query } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { openProxy } from './proxy.fixture.ts'
import { startPostgres } from './server.fixture.ts'

async function opened(url: string) {
  const storage = closing(await openPostgresStorage(url))
  await storage.addTenant(tenantRecord('t1'))
  const tenant = storage.of('t1')
  return {
    storage,
    add: (id: string) => tenant.transact(tables => tables.addLead(leadRecord(id))),
    ids: async () => (await tenant.transact(tables => tables.listLeads({ limit: 99 }))).map(lead => lead.lead_id),
    tenant,
  }
}

it('retries a transaction whose connection was lost, before or in the middle of it', async () => {
  const url = `${await emptyDatabase()}&application_name=to_be_ended`
  const { tenant, add, ids } = await opened(url)
  const end = () =>
    query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to_be_ended'`)
  await end()
  await add('l1')
  let runs = 0
  await tenant.transact(async tables => {
    runs += 1
    await tables.addLead(leadRecord('l2'))
    if (runs === 1) await end()
    await tables.findLead('l2')
  })
  expect([runs, await ids()]).toEqual([2, ['l2', 'l1']])
})

it('waits for a process that stalls in the middle of a transaction, until the database ends that transaction', async () => {
  const url = await emptyDatabase()
  const [standing, waiting] = [await opened(url), closing(await openPostgresStorage(url)).of('t1')]
  const stood = Promise.withResolvers<void>()
  const stands = Promise.withResolvers<void>()
  const claimed = standing.tenant.transact(async tables => {
    const claims = await tables.claimCustomer('p1', 'ana@example.com', 'l1')
    stands.resolve()
    await stood.promise
    return claims
  })
  await stands.promise
  expect(await waiting.transact(tables => tables.claimCustomer('p1', 'ana@example.com', 'l2'))).toBe(true)
  stood.resolve()
  expect(await claimed).toBe(false)
})

it('discards a connection that could not be set up', async () => {
  const url = `${await emptyDatabase()}&application_name=not_prepared`
  const { storage } = await opened(url)
  const connections = () => query(`select 1 from pg_stat_activity where application_name = 'not_prepared'`)
  const before = await connections()
  await query('drop table gone', url)
  for (let reads = 0; reads < 3; reads++) await expect(storage.shared?.readChanges(false)).rejects.toThrow('42P01')
  await expect.poll(connections).toEqual(before)
})

it('fails and reports bad health while the database is down, and recovers afterward', async () => {
  const server = await startPostgres()
  onTestFinished(server.end)
  const { storage, add, ids } = await opened(server.url)
  await add('l1')
  expect(await storage.health()).toBe('ok')
  await server.stop()
  await expect(add('l2')).rejects.toBeInstanceOf(StorageUnavailable)
  expect(await storage.health()).toEqual({ problem: expect.stringContaining('does not respond (ECONNREFUSED)') })
  await server.start()
  await add('l3')
  expect([await storage.health(), await ids()]).toEqual(['ok', ['l3', 'l1']])
})

it('detects that a commit without a response was done, and does not repeat it', async () => {
  const proxy = await openProxy(await emptyDatabase())
  const { tenant, ids } = await opened(proxy.url)
  proxy.cut({ at: 'before its response', once: true })
  let runs = 0
  const claimed = await tenant.transact(async tables => {
    runs += 1
    await tables.addLead(leadRecord('l1'))
    return tables.claimCustomer('p1', 'l1@example.com', 'l1')
  })
  expect([claimed, runs, await ids()]).toEqual([true, 1, ['l1']])
})

it('retries a transaction whose commit did not arrive, and gives up after several attempts', async () => {
  const proxy = await openProxy(await emptyDatabase())
  const { add, ids } = await opened(proxy.url)
  proxy.cut({ at: 'before the commit', once: false })
  await expect(add('l1')).rejects.toBeInstanceOf(StorageUnavailable)
  proxy.cut(undefined)
  await add('l2')
  expect(await ids()).toEqual(['l2'])
})
