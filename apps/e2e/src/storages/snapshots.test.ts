import { describe, expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const frozen = { frozen_at: '2026-03-01T10:00:00Z' }

async function save(tenant: Tenant, name = 'then') {
  const { status, json } = await tenant.control('POST', '/snapshots', { body: { name } })
  expect([status, json.details]).toEqual([201, undefined])
  return json
}

async function restore(tenant: Tenant, name = 'then') {
  const { status, json } = await tenant.control('POST', `/snapshots/${name}/restore`)
  expect([status, json.details]).toEqual([200, undefined])
  return json
}

/** The control plane's response below a tenant's path. */
const read = async (tenant: Tenant, path: string) => (await tenant.control('GET', path)).json

/** Everything that the control plane shows of a tenant with a frozen clock. */
async function whole(tenant: Tenant) {
  const paths = ['', '/leads', '/callbacks', '/inbox', '/clock', '/faults', '/requests', '/coverage']
  const shown = Object.fromEntries(await Promise.all(paths.map(async path => [path, await read(tenant, path)])))
  return { ...shown, leads: await tenant.wholeLeads() }
}

/** Adds a fault. */
const fault = (tenant: Tenant, setting: object) =>
  tenant.control('POST', '/faults', { body: { match: { operation: 'submitLead' }, ...setting } })

onEveryStorage('a snapshot', adapter => {
  it('restores everything that the control plane shows, any number of times', async () => {
    const tenant = await createTenant(adapter, { ...frozen, settings: { callback_retries: ['PT1H'] } })
    await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 3 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'registration')
    await expect.poll(async () => (await tenant.lead(lead)).callbacks[0].attempts.length).toBe(1)
    await tenant.report(lead, { status: 'converted' }, { key: tenant.publisherKey })
    await fault(tenant, { effect: { status: 503 }, times: 5, after: 1 })
    await tenant.submit()
    const before = await whole(tenant)
    await save(tenant)
    for (let time = 0; time < 2; time++) {
      await tenant.submit()
      await tenant.pixel(lead, 'approved')
      await tenant.control('DELETE', '/faults')
      await tenant.control('POST', '/clock/advance', { body: { by: 'P1D' } })
      await tenant.control('PATCH', '/inbox', { body: { status: 404 } })
      await tenant.control('PATCH', '', { body: { settings: { gender: 'required' }, blacklist: [] } })
      expect(await restore(tenant)).toEqual(before[''])
      expect(await whole(tenant)).toEqual(before)
    }
  })

  it('redelivers the pending callbacks, each time', async () => {
    const tenant = await createTenant(adapter, { ...frozen, settings: { callback_retries: ['PT1H'] } })
    await tenant.control('PATCH', '/inbox', { body: { status: 503, times: 1 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    const callback = async () => (await tenant.lead(lead)).callbacks[0]
    await expect.poll(async () => (await callback()).attempts.length).toBe(1)
    await save(tenant)
    for (let time = 0; time < 2; time++) {
      expect((await tenant.control('POST', '/clock/advance', { body: { by: 'PT1H' } })).json.executed).toBe(1)
      expect((await callback()).state).toBe('delivered')
      expect((await read(tenant, '/inbox')).callbacks).toHaveLength(2)
      await restore(tenant)
      expect([(await callback()).state, (await read(tenant, '/inbox')).callbacks.length]).toEqual(['pending', 1])
    }
  })

  it('continues with the ids that were next when it was saved', async () => {
    const tenant = await createTenant(adapter)
    await tenant.distributedLead()
    await save(tenant)
    const three = async () => {
      const leads = []
      for (const customer of ['a', 'b', 'c'])
        leads.push((await tenant.submit({}, `${customer}@example.com`)).json.lead_id)
      await tenant.pixel(leads[0], 'approved')
      return [leads, (await tenant.settledCallbacks(leads[0]))[0].callback_id]
    }
    const first = await three()
    await restore(tenant)
    expect(await three()).toEqual(first)
  })

  it("restores a party's keys: those issued since are refused, the others work", async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    await save(tenant)
    const added = { advertiser_id: '60000000-0000-4000-8000-000000000001', name: 'Late' }
    await tenant.change({
      advertisers: [added],
      products: [{ product_id: tenant.product().product_id, active: false }],
    })
    const late = tenant.advertiserKey(3)
    expect((await tenant.report(lead, { status: 'converted' }, { key: late })).status).toBe(404)
    tenant.account = await restore(tenant)
    expect((await tenant.report(lead, { status: 'converted' }, { key: late })).status).toBe(401)
    expect((await tenant.report(lead, { status: 'converted' })).status).toBe(200)
    expect((await tenant.submit()).json.status).toBe('distributed')
  })

  describe('with a frozen clock', () => {
    it('restores the clock at the same time', async () => {
      const tenant = await createTenant(adapter, frozen)
      await save(tenant)
      await tenant.control('POST', '/clock', { body: { resume: true } })
      await tenant.control('POST', '/clock/advance', { body: { by: 'P30D' } })
      await restore(tenant)
      expect(await read(tenant, '/clock')).toEqual({ mode: 'frozen', now: '2026-03-01T10:00:00.000Z' })
    })
  })

  it('is saved before each reset and restore, replacing the previous one, and restores the earlier state', async () => {
    const tenant = await createTenant(adapter, frozen)
    const names = async () => (await read(tenant, '/snapshots')).snapshots.map(({ name }: { name: string }) => name)
    await tenant.submit()
    const before = await whole(tenant)
    for (let nth = 0; nth < 2; nth++) {
      await tenant.control('POST', '/reset')
      expect([(await tenant.wholeLeads()).length, await names()]).toEqual([0, expect.arrayContaining(['before-reset'])])
      await restore(tenant, 'before-reset')
      expect(await whole(tenant)).toEqual(before)
    }
    await restore(tenant, 'before-restore')
    expect(await tenant.wholeLeads()).toHaveLength(0)
    expect((await names()).sort()).toEqual(['before-reset', 'before-restore'])
  })

  it('is refused after the hundredth, unless its name exists', async () => {
    const tenant = await createTenant(adapter)
    for (let nth = 0; nth < 100; nth++) await save(tenant, `s${nth}`)
    const more = await tenant.control('POST', '/snapshots', { body: { name: 'one-more' } })
    expect([more.status, more.json.error]).toEqual([409, 'too_many'])
    await save(tenant, 's0')
    expect((await read(tenant, '/snapshots')).snapshots).toHaveLength(100)
    await tenant.control('POST', '/reset')
    expect((await read(tenant, '/snapshots')).snapshots).toHaveLength(101)
  })
})
