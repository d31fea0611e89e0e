import { setTimeout as wait } from 'node:timers/promises'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { type Account, createSandboxClient } from '@lead-distribution/control-client'
import { StorageUnavailable } from '@lead-distribution/simulator'
import { leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it, onTestFinished, vi } from 'vitest'
import { closing } from '../contract/storage.fixture.ts'
import { emptyDatabase, query } from './database.fixture.ts'
import { launch } from './launch.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { openProxy } from './proxy.fixture.ts'

/** A short deadline, because the tests wait for it several times. */
const deadline = '&statement_timeout=1000'

async function openSilenceable() {
  const proxy = await openProxy(`${await emptyDatabase()}${deadline}`)
  const storage = closing(await openPostgresStorage(proxy.url))
  await storage.addTenant(tenantRecord('t1'))
  const tenant = storage.of('t1')
  return { proxy, storage, tenant, add: (id: string) => tenant.transact(tables => tables.addLead(leadRecord(id))) }
}

it('fails calls and their successors while the database is silent, and recovers afterward', async () => {
  const { proxy, storage, add, tenant } = await openSilenceable()
  await add('l1')
  proxy.silence(true)
  const first = ['l2', 'l3'].map(add)
  // These arrive while the first calls wait, and share no transaction with them.
  const later = storage.addTenant(tenantRecord('t2')).then(() => add('l4'))
  const copy = storage.saveSnapshot('t1', { name: 'copy', saved_at: 1 })
  const reading = storage.shared?.readChanges(false)
  const calls = [...first, later, copy, reading]
  await Promise.all(calls.map(call => expect(call).rejects.toBeInstanceOf(StorageUnavailable)))
  expect(await storage.health()).toEqual({ problem: expect.stringMatching(/did not respond within (500|1000) ms/) })
  proxy.silence(false)
  await expect.poll(() => storage.health()).toBe('ok')
  await add('l5')
  await storage.shared?.readChanges(false)
  const found = await tenant.transact(tables => tables.listLeads({ limit: 9 }))
  expect(found.map(({ lead_id }) => lead_id)).toEqual(['l5', 'l1'])
})

it('does not retry after the deadline, and reports the outcome of a commit as unknown', async () => {
  const { proxy, tenant } = await openSilenceable()
  let runs = 0
  const adding = tenant.transact(async tables => {
    runs += 1
    await tables.addLead(leadRecord('l1'))
    await tables.findLead('l1')
    proxy.silence(true)
  })
  await expect(adding).rejects.toThrow('Check if the changes were stored')
  expect(runs).toBe(1)
})

it('starts nothing that waited longer than the deadline, and retries nothing that ran longer', async () => {
  const url = `${await emptyDatabase()}${deadline}&application_name=slow`
  const storage = closing(await openPostgresStorage(url))
  await storage.addTenant(tenantRecord('t1'))
  const tenant = storage.of('t1')
  const begun = Promise.withResolvers<void>()
  let runs = 0
  const slow = tenant.transact(async tables => {
    runs += 1
    await tables.findLead('l1')
    begun.resolve()
    await wait(1_500)
    await query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slow'`)
    await tables.findLead('l1')
  })
  await begun.promise
  const waited = tenant.transact(() => expect.fail('It began.'))
  await expect(slow).rejects.toThrow('does not respond (57P01)')
  await expect(waited).rejects.toThrow('The database was busy for too long')
  expect(runs).toBe(1)
})

it('copies content for longer than the deadline, as long as the database responds to others', async () => {
  const { tenant, storage, proxy } = await openSilenceable()
  await tenant.transact(tables => tables.addLead(leadRecord('l1')))
  // Each row of the copy takes three deadlines.
  await query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(3); return new; end $$;
     create trigger slow before insert on leads for each row execute function slow()`,
    proxy.url.replace(deadline, ''),
  )
  await storage.saveSnapshot('t1', { name: 'copy', saved_at: 1 })
  expect(await storage.listSnapshots('t1')).toEqual([{ name: 'copy', saved_at: 1 }])
  const copying = storage.saveSnapshot('t1', { name: 'lost', saved_at: 2 })
  await expect.poll(() => query(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)).toHaveLength(1)
  proxy.silence(true)
  await expect(copying).rejects.toBeInstanceOf(StorageUnavailable)
})

it('closes a storage while the database is silent', async () => {
  const { proxy, storage, add } = await openSilenceable()
  await add('l1')
  proxy.silence(true)
  await expect(storage.close()).resolves.toBeUndefined()
})

it('responds to every request with 503 except for its liveness, and stops on SIGTERM', async () => {
  const proxy = await openProxy(`${await emptyDatabase()}${deadline}`)
  const { child, exit, ready } = launch(proxy.url)
  const url = await ready
  const { account } = await createSandboxClient({ baseUrl: url }).createTenant({ name: 'silent' })
  const submit = (from: Account) => {
    const headers = { 'content-type': 'application/json', apikey: from.publisher.api_key }
    const body = JSON.stringify(createTestLeads(from).distributed())
    return fetch(`${url}/api/v1/lead`, { method: 'POST', headers, body })
  }
  const { lead_id } = await (await submit(account)).json()
  const stream = await fetch(`${url}/_sandbox/v1/tenants/silent/events`)
  proxy.silence(true)

  const statusOf = async (path: string) => {
    const response = await fetch(`${url}${path}`)
    await response.text()
    return response.status
  }
  const advertiser = account.advertisers[0]?.advertiser_id
  const paths = [
    `/api/v1/lead/${lead_id}/status?token=x&event=approved`,
    '/_sandbox/v1/tenants',
    '/_sandbox/v1/tenants/silent/leads',
    '/_sandbox/health',
    '/_sandbox/health/ready',
    `/_sandbox/advertiser/${lead_id}/${advertiser}`,
  ]
  const waiting = Promise.all([submit(account).then(({ status }) => status), ...paths.map(statusOf)])
  const metrics = statusOf('/_sandbox/metrics')
  // While the others wait.
  expect(await statusOf('/_sandbox/health/live')).toBe(200)
  expect(await waiting).toEqual([503, ...paths.map(() => 503)])
  expect(await metrics).toBe(200)
  const health = await fetch(`${url}/_sandbox/health/ready`)
  expect([health.status, await health.json()]).toEqual([
    503,
    { status: 'not_ready', problem: expect.stringMatching(/did not respond within (500|1000) ms/) },
  ])
  const late = submit(account).then(({ status }) => status)
  child.kill('SIGTERM')
  expect((await exit).end).toBe(0)
  expect(await late).toBe(503)
  await stream.body?.cancel().catch(() => undefined)
})

it('stops on SIGTERM even if requests wait longer than the shutdown may take', async () => {
  const proxy = await openProxy(`${await emptyDatabase()}&statement_timeout=600000`)
  const { child, exit, ready } = launch(proxy.url)
  const url = await ready
  proxy.silence(true)
  const waiting = fetch(`${url}/_sandbox/v1/tenants`).catch(() => undefined)
  expect((await fetch(`${url}/_sandbox/health/live`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exit).toEqual({ end: 1, said: expect.stringContaining('did not stop in time') })
  await waiting
})

it('waits half of the usual deadline on startup for a database that accepts connections but never responds', async () => {
  const proxy = await openProxy(await emptyDatabase())
  proxy.silence(true)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  await expect(openPostgresStorage(proxy.url)).rejects.toThrow('did not respond within 2500 ms')
  // A start must end within 5 s; half of that is left for everything else.
  expect(timers.mock.calls.reduce((sum, [, ms = 0]) => sum + ms, 0)).toBeLessThanOrEqual(2_500)
})

it('exits while starting with a silent database, by itself and on SIGTERM', async () => {
  const proxy = await openProxy(`${await emptyDatabase()}${deadline}`)
  proxy.silence(true)
  expect(await launch(proxy.url).exit).toEqual({
    end: 1,
    said: expect.stringMatching(/did not respond within (500|1000) ms/),
  })
  const patient = await openProxy(`${await emptyDatabase()}&statement_timeout=600000`)
  patient.silence(true)
  const { child, exit } = launch(patient.url)
  await patient.reached()
  child.kill('SIGTERM')
  expect((await exit).end).toBe(0)
})
