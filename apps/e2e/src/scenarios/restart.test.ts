import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerOptions } from '@lead-distribution/sandbox'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'

const advance = async (tenant: Tenant, by: string) =>
  (await tenant.control('POST', '/clock/advance', { body: { by } })).json
const clock = async (tenant: Tenant) => (await tenant.control('GET', '/clock')).json

/** A server on its own file that can be restarted and keeps its tenant. */
async function restartable(creation: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-restart-'))
  const data = join(folder, 'sandbox.db')
  let adapter: Adapter = await openExpressAdapter({ data })
  onTestFinished(async () => {
    await adapter.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const tenant = await createTenant(adapter, creation)
  const restart = async () => {
    await adapter.close()
    adapter = await openExpressAdapter({ data })
    return new Tenant(adapter, tenant.account)
  }
  return { tenant, restart }
}

describe('after a restart on a SQLite file', () => {
  it('a running clock is as far ahead as before', async () => {
    const { tenant, restart } = await restartable()
    await advance(tenant, 'P1D')
    const before = await clock(tenant)
    const { mode, now } = await clock(await restart())
    expect([mode, Date.parse(now) - Date.now() > 86_300_000]).toEqual(['running', true])
    expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(before.now))
  })

  it.each([[[]], [['PT5S']], [['PT3H', 'PT9H']]])(
    'a retry keeps its due time, also if the retries changed to %j in the meantime',
    async callback_retries => {
      await using receiver = await openReceiver(response => response.writeHead(503).end())
      const { tenant, restart } = await restartable({
        callback_url: receiver.url,
        settings: { callback_retries: ['PT2H'] },
      })
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      const callbacks = async (on: Tenant) => (await on.client.leads.show(lead)).callbacks
      await expect.poll(() => callbacks(tenant)).toMatchObject([{ attempts: [{ status: 503 }] }])
      await tenant.change({ settings: { callback_retries } })
      const before = await callbacks(tenant)
      const again = await restart()
      // Nothing is due, as an advance by zero shows.
      expect(await advance(again, 'PT0S')).toMatchObject({ executed: 0, pending: 1 })
      expect(await callbacks(again)).toEqual(before)
      expect(await advance(again, 'PT2H')).toMatchObject({ executed: 1 })
      expect(receiver.received).toHaveLength(2)
    },
  )

  it('faults continue counting, numbering and drawing where they stopped', async () => {
    const { tenant, restart } = await restartable()
    const add = (on: Tenant) =>
      on.control('POST', '/faults', {
        body: { match: { operation: 'submitLead' }, effect: { status: 503 }, after: 1, times: 2 },
      })
    await add(tenant)
    const statuses = [(await tenant.submit()).status, (await tenant.submit()).status]
    const again = await restart()
    for (let call = 0; call < 2; call++) statuses.push((await again.submit({}, `again-${call}@example.com`)).status)
    expect(statuses).toEqual([200, 503, 503, 200])
    expect((await add(again)).json.fault_id).toBe('f2')
    expect((await again.control('GET', '/faults')).json.faults).toMatchObject([
      { matched: 4, acted: 2 },
      { matched: 0 },
    ])
  })
})

const adminToken = 't0ken-of-the-team'
const authorization = `Bearer ${adminToken}`

describe('a file of tenants', () => {
  let folder: string
  let adapter: Adapter | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-kept-'))
  })
  afterEach(async () => {
    await adapter?.close()
    adapter = undefined
    rmSync(folder, { recursive: true, force: true })
  })

  const data = () => join(folder, 'sandbox.db')

  /** Reopens the file. */
  async function open(options: ServerOptions = {}): Promise<Adapter> {
    await adapter?.close()
    adapter = await openExpressAdapter({ data: data(), ...options })
    return adapter
  }
  const demoOf = async (opened: Adapter) => {
    const { json } = await opened.request('GET', `${tenantsPath}/demo`, { headers: { authorization } })
    return new Tenant(opened, json)
  }
  /** Everything that a tenant shows, without its server's port. */
  const state = async (tenant: Tenant) => {
    const paths = ['', '/leads', '/callbacks', '/faults', '/inbox', '/clock', '/requests', '/coverage', '/snapshots']
    const shown = await Promise.all(paths.map(async path => (await tenant.control('GET', path)).json))
    return JSON.parse(JSON.stringify([shown, await tenant.wholeLeads()]).replaceAll(/127\.0\.0\.1:\d+/g, ''))
  }

  it('keeps its snapshots across a restart, and stays restored after another', async () => {
    const made = await createTenant(await open(), { frozen_at: '2026-03-01T10:00:00Z' })
    const lead = await made.distributedLead()
    await made.pixel(lead, 'approved')
    await made.control('GET', `/callbacks/wait?lead_id=${lead}`)
    await made.control('POST', '/faults', {
      body: { match: { operation: 'callback' }, effect: { drop: true }, times: 3 },
    })
    await made.control('POST', '/snapshots', { body: { name: 'then' } })
    const before = await state(made)
    let tenant = new Tenant(await open(), made.account)
    expect(await state(tenant)).toEqual(before)
    await tenant.submit({}, 'late@example.com')
    await tenant.control('POST', '/clock/advance', { body: { by: 'P1D' } })
    expect((await tenant.control('POST', '/snapshots/then/restore')).status).toBe(200)
    await tenant.control('DELETE', '/snapshots/before-restore')
    expect(await state(tenant)).toEqual(before)
    tenant = new Tenant(await open(), made.account)
    expect(await state(tenant)).toEqual(before)
    const { json } = await tenant.submit({}, 'late@example.com')
    expect([json.status, json.lead_id === lead]).toEqual(['distributed', false])
  })

  it("never accepts the demo tenant's documented keys on a shared host, not even from a snapshot", async () => {
    const local = await demoOf(await open())
    await local.control('POST', '/snapshots', { body: { name: 'local' } })
    const shared = await demoOf(await open({ host: '0.0.0.0', adminToken }))
    expect(shared.publisherKey).not.toBe(local.publisherKey)
    await shared.control('POST', '/snapshots/local/restore', { headers: { authorization } })
    const { json } = await shared.control('GET', '', { headers: { authorization } })
    expect(json.publisher.api_key).toBe(shared.publisherKey)
    expect((await shared.submitBody({}, { apikey: local.publisherKey })).status).toBe(401)
    expect((await shared.submitBody({}, { apikey: shared.publisherKey })).status).toBe(400)
  })

  it("keeps the demo tenant's initial profile, also after a reset", async () => {
    await open()
    const demo = await demoOf(await open({ profile: 'formal' }))
    expect(demo.account.settings.profile).toBe('formal')
    expect((await demo.control('POST', '/reset')).json.settings.profile).toBe('formal')
  })
})
