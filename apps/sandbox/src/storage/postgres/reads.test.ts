import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { leadToken } from '@lead-distribution/engine'
import type { SandboxStorage, SandboxTables } from '@lead-distribution/simulator'
import { Client } from 'pg'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { sandboxOver } from '../contract/failing-storage.fixture.ts'
import { query } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { startPostgres } from './server.fixture.ts'

const demo = '/_sandbox/v1/tenants/demo'

/** A separate server, so that nothing else writes to it. */
let url: string
let storage: SandboxStorage
let sandbox: Awaited<ReturnType<typeof sandboxOver>>
const ids: string[] = []

beforeAll(async () => {
  const server = await startPostgres()
  url = server.url
  storage = await openPostgresStorage(url)
  sandbox = await sandboxOver(storage)
  const account = sandbox.account('demo') ?? expect.fail('There is no demo tenant.')
  const leads = createTestLeads(account)
  const headers = { apikey: account.publisher.api_key }
  const submit = async () => {
    const { lead_id, redirect_url } = (await sandbox.call('POST', '/api/v1/lead', leads.distributed(), headers)).json
    const advertiser_id = new URL(redirect_url).pathname.split('/').at(-1)
    const advertiser = account.advertisers.find(each => each.advertiser_id === advertiser_id) ?? expect.fail()
    const token = await leadToken({ ...advertiser, lead_id }, account.settings.token_format)
    await sandbox.call('GET', `/api/v1/lead/${lead_id}/status?token=${token}&event=approved`)
    ids.push(lead_id)
  }
  for (let nth = 0; nth < 60; nth++) await submit()
  await vi.waitFor(async () => {
    const { callbacks } = (await sandbox.call('GET', `${demo}/callbacks?state=delivered&limit=500`)).json
    expect(callbacks).toHaveLength(60)
  }, 60_000)
  await sandbox.call('POST', `${demo}/snapshots`, { name: 'before' })
  return async () => {
    await sandbox.close()
    await server.end()
  }
})

/** Returns the statements that a request sends. */
async function sentBy(path: string): Promise<string[]> {
  const sending = vi.spyOn(Client.prototype, 'query')
  onTestFinished(() => sending.mockRestore())
  expect((await sandbox.call('GET', path)).status).toBe(200)
  const sent = sending.mock.calls.map(([query]: unknown[]) => (query as { text?: string }).text ?? String(query))
  sending.mockRestore()
  return sent
}

/**
 * Returns the bytes that a server logged while something ran. The server itself logs now and then, so take the minimum.
 */
async function logged(run: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < 20 && least > 0; nth++) {
    const before = await position()
    await run()
    least = Math.min(least, (await position()) - before)
  }
  return least
}

const position = async () => Number((await query(`select pg_current_wal_insert_lsn() - '0/0' as bytes`, url))[0]?.bytes)

const reads = [
  '',
  '/leads',
  '/leads?include=submission',
  '/leads?customer=example',
  '/leads?email=nobody@example.com',
  '/leads/LEAD',
  '/callbacks',
  '/callbacks?lead_id=LEAD',
  '/callbacks/wait?lead_id=LEAD',
  '/requests',
  '/coverage',
  '/activity',
  '/inbox',
  '/clock',
  '/clock/agenda',
  '/faults',
  '/snapshots',
  '/snapshots/before/file',
]

it.each(reads)('reads %j without writing', async path => {
  const read = async () => {
    for (let nth = 0; nth < 10; nth++)
      expect((await sandbox.call('GET', `${demo}${path.replace('LEAD', ids[0] ?? '')}`)).status).toBe(200)
  }
  // First, flush what earlier requests left to be written.
  await read()
  expect(await logged(read)).toBe(0)
})

it('the database rejects writes in a read', async () => {
  const write = storage.of('demo').read(tables => (tables as SandboxTables).markRefused('p1', 'ana@example.com', 1))
  await expect(write).rejects.toThrow('(25006)')
})

it.each(['/leads', '/leads?include=submission', '/callbacks', '/requests', '/inbox'])(
  'a page of %j takes as many statements for fifty entries as for one',
  async path => {
    const page = (limit: number) => sentBy(`${demo}${path}${path.includes('?') ? '&' : '?'}limit=${limit}`)
    await page(1)
    expect(await page(50)).toEqual(await page(1))
  },
)
