import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ServerOptions } from '@lead-distribution/sandbox'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'
const behindNoon = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString()

const advance = async (tenant: Tenant, by: string) =>
  (await tenant.control('POST', '/clock/advance', { body: { by } })).json
const clock = async (tenant: Tenant) => (await tenant.control('GET', '/clock')).json

/** A server over its own file that can be stopped and started again; the tenant is found again after that. */
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

describe('over a restart on a SQLite file', () => {
  it('a frozen clock keeps its time, also one that it was advanced to', async () => {
    const { tenant, restart } = await restartable({ frozen_at: noon })
    await advance(tenant, 'PT24H')
    const again = await restart()
    expect(await clock(again)).toEqual({ mode: 'frozen', now: behindNoon(86_400) })
    await again.control('POST', '/clock', { body: { set: behindNoon(86_401) } })
    expect(await clock(await restart())).toEqual({ mode: 'frozen', now: behindNoon(86_401) })
  })

  it('a running clock is as far ahead as it was', async () => {
    const { tenant, restart } = await restartable()
    await advance(tenant, 'P1D')
    const before = await clock(tenant)
    const { mode, now } = await clock(await restart())
    expect([mode, Date.parse(now) - Date.now() > 86_300_000]).toEqual(['running', true])
    expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(before.now))
  })

  it('faults go on counting, numbering and drawing where they stopped', async () => {
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

  it('an inbox fails as often as is left, and has what it took', async () => {
    const { tenant, restart } = await restartable({ frozen_at: noon })
    await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 2 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await advance(tenant, 'PT0S')
    const again = await restart()
    expect((await again.control('GET', '/inbox')).json).toMatchObject({ status: 500, times: 1, callbacks: [{}] })
    await advance(again, 'PT35S')
    expect((await again.lead(lead)).callbacks).toMatchObject([
      { state: 'delivered', attempts: [{ at: noon }, { at: behindNoon(5) }, { at: behindNoon(35) }] },
    ])
  })

  it('a delivery goes on with its next try, and one that failed stays visible', async () => {
    await using receiver = await openReceiver(withStatus(503))
    const { tenant, restart } = await restartable({
      frozen_at: noon,
      callback_url: receiver.url,
      settings: { callback_retries: ['PT5S', 'PT30S'] },
    })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await advance(tenant, 'PT5S')
    const again = await restart()
    expect((await again.lead(lead)).callbacks).toMatchObject([{ state: 'pending', next_attempt_at: behindNoon(35) }])
    await advance(again, 'PT30S')
    const last = await restart()
    const [callback] = (await last.control('GET', '/callbacks?state=failed')).json.callbacks
    expect(callback).toMatchObject({ state: 'failed', attempts: { length: 3 } })
    expect(receiver.received).toHaveLength(3)
    const { json } = await last.control('POST', `/callbacks/${callback.callback_id}/resend`)
    expect(json).toMatchObject({ state: 'pending', attempts: { length: 4 }, next_attempt_at: behindNoon(40) })
  })

  it('a delayed callback comes at its time, and a reordered one behind the next', async () => {
    await using receiver = await openReceiver()
    const { tenant, restart } = await restartable({ frozen_at: noon, callback_url: receiver.url })
    const events = () => receiver.received.map(({ target }) => new URLSearchParams(target.split('?')[1]).get('event'))
    for (const effect of [{ delay: 'PT90S' }, { reorder: true }])
      await tenant.control('POST', '/faults', { body: { match: { operation: 'callback' }, effect, times: 1 } })
    const [first, second] = [await tenant.distributedLead(), await tenant.distributedLead()]
    await tenant.pixel(first, 'rejected')
    await advance(tenant, 'PT0S')
    await tenant.pixel(second, 'registration')
    await advance(tenant, 'PT0S')
    const again = await restart()
    await again.pixel(second, 'approved')
    await advance(again, 'PT0S')
    expect(events()).toEqual(['loan_issued', 'registration'])
    await advance(again, 'PT90S')
    expect(events()).toEqual(['loan_issued', 'registration', 'loan_rejected'])
  })

  it('a lifecycle goes on, each event once', async () => {
    const lifecycle = [
      { event: 'registration', after: 'PT1M' },
      { event: 'approved', after: 'P2D' },
    ]
    const { tenant, restart } = await restartable({ frozen_at: noon, settings: { lifecycle } })
    const lead = await tenant.distributedLead()
    await advance(tenant, 'PT1M')
    const again = await restart()
    expect(await advance(again, 'P3D')).toMatchObject({ executed: 2, pending: 0 })
    const { events } = await (await restart()).lead(lead)
    expect(events.map(({ event, recorded_at }: Record<string, string>) => [event, recorded_at])).toEqual([
      ['registration', behindNoon(60)],
      ['approved', behindNoon(172_800)],
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

  /** Opens the file anew. */
  async function open(options: ServerOptions = {}): Promise<Adapter> {
    await adapter?.close()
    adapter = await openExpressAdapter({ data: data(), ...options })
    return adapter
  }
  const demoOf = async (opened: Adapter) => {
    const { json } = await opened.request('GET', `${tenantsPath}/demo`, { headers: { authorization } })
    return new Tenant(opened, json)
  }
  /** All that a tenant shows, without the port of its server. */
  const state = (tenant: Tenant) =>
    Promise.all(
      ['', '/leads', '/callbacks', '/faults', '/inbox', '/clock', '/requests', '/coverage', '/snapshots'].map(
        async path => JSON.parse((await tenant.control('GET', path)).text.replaceAll(/127\.0\.0\.1:\d+/g, '')),
      ),
    )

  it('has its snapshots after a restart, and stays restored after another', async () => {
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
    expect(await state(tenant)).toEqual(before)
    tenant = new Tenant(await open(), made.account)
    expect(await state(tenant)).toEqual(before)
    const { json } = await tenant.submit({}, 'late@example.com')
    expect([json.status, json.lead_id === lead]).toEqual(['distributed', false])
  })

  it('resets a tenant that does not know what it was made with to the settings that it has', async () => {
    const { account } = await createTenant(await open(), { settings: { gender: 'required' } })
    await adapter?.close()
    const file = new DatabaseSync(data())
    file.exec(`update tenants set record = json_remove(record, '$.made')`)
    file.close()
    const tenant = new Tenant(await open(), account)
    await tenant.change({ products: [{ product_id: tenant.product().product_id, name: 'Other' }] })
    await tenant.submit()
    expect((await tenant.control('POST', '/reset')).json).toEqual({
      ...account,
      base_url: expect.any(String),
      publisher: expect.any(Object),
    })
    expect((await tenant.control('GET', '/leads')).json).toEqual({ leads: [] })
  })

  it('never has the documented keys of the demo tenant open a shared host, by no snapshot either', async () => {
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

  it('has the demo tenant keep the profile that it was started with, by a reset too', async () => {
    await open()
    const demo = await demoOf(await open({ profile: 'formal' }))
    expect(demo.account.settings.profile).toBe('formal')
    expect((await demo.control('POST', '/reset')).json.settings.profile).toBe('formal')
  })
})
