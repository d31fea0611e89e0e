import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ServerOptions } from '@lead-distribution/sandbox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'

const adminToken = 't0ken'
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

  it('has its snapshots behind a restart, and stays as it was put back behind another', async () => {
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
