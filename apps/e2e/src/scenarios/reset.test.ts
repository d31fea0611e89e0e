import { expect, it } from 'vitest'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'

const creation = { seed: 7, frozen_at: '2026-03-01T10:00:00Z', settings: { gender: 'optional', absent_fields: 'null' } }

/** What a tenant answers below a path. */
const read = async (tenant: Tenant, path: string) => (await tenant.control('GET', path)).json

async function reset(tenant: Tenant) {
  const { status, json } = await tenant.control('POST', '/reset')
  expect(status).toBe(200)
  return json
}

onEveryAdapter('a reset', adapter => {
  it('makes a tenant as it was made, whatever was changed', async () => {
    const tenant = await createTenant(adapter, { ...creation, callback_url: 'http://127.0.0.1:9/cb' })
    const made = tenant.account
    await tenant.change({
      settings: { gender: 'required', lifecycle: [{ event: 'registration', after: 'PT1H' }] },
      callback_url: null,
      products: [{ product_id: tenant.product().product_id, name: 'Other', active: false }],
      advertisers: [{ advertiser_id: '60000000-0000-4000-8000-000000000001', name: 'Late' }],
      blacklist: [],
    })
    await tenant.control('POST', '/faults', { body: { match: { operation: 'reportEvent' }, effect: { status: 500 } } })
    await tenant.control('PATCH', '/inbox', { body: { status: 500 } })
    await tenant.control('POST', '/clock', { body: { resume: true } })
    await tenant.submit({ product_id: tenant.product(false).product_id })
    expect(await reset(tenant)).toEqual(made)
    expect(await read(tenant, '')).toEqual(made)
    expect(await read(tenant, '/leads')).toEqual({ leads: [] })
    expect(await read(tenant, '/callbacks')).toEqual({ callbacks: [] })
    expect(await read(tenant, '/faults')).toEqual({ faults: [] })
    expect(await read(tenant, '/requests')).toEqual({ requests: [] })
    expect(await read(tenant, '/inbox')).toEqual({ status: 200, callbacks: [] })
    expect(await read(tenant, '/clock')).toEqual({ mode: 'frozen', now: '2026-03-01T10:00:00.000Z' })
    expect((await read(tenant, '/coverage')).seen).toBe(0)
  })

  it('lets the same story come out the same, ids included', async () => {
    const tenant = await createTenant(adapter, creation)
    const story = async () => {
      const order = { match: { operation: 'submitLead' }, effect: { status: 503 }, probability: 0.5 }
      const { fault_id } = (await tenant.control('POST', '/faults', { body: order })).json
      const replies = []
      for (let call = 0; call < 10; call++) {
        const { status, json } = await tenant.submit({}, `c${call}@example.com`)
        replies.push([status, json.lead_id])
      }
      await tenant.control('DELETE', `/faults/${fault_id}`)
      const lead = await tenant.distributedLead({ 'customer.contact.email.address': 'last@example.com' })
      await tenant.pixel(lead, 'approved')
      const [{ callback_id }] = await tenant.settledCallbacks(lead)
      const { requests } = await read(tenant, '/requests')
      return {
        fault_id,
        replies,
        lead,
        callback_id,
        numbers: requests.map((entry: { request_id: string }) => entry.request_id),
      }
    }
    const first = await story()
    await reset(tenant)
    expect(await story()).toEqual(first)
  })

  it('has a clock that was made running show real time again', async () => {
    const tenant = await createTenant(adapter)
    await tenant.control('POST', '/clock/advance', { body: { by: 'P300D' } })
    await reset(tenant)
    const { mode, now } = await read(tenant, '/clock')
    expect([mode, Math.abs(Date.parse(now) - Date.now()) < 86_400_000]).toEqual(['running', true])
  })

  it('refuses a key that was made since, and takes those that it was made with', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ advertisers: [{ advertiser_id: '60000000-0000-4000-8000-000000000001', name: 'Late' }] })
    const late = tenant.advertiserKey(3)
    await reset(tenant)
    const lead = await tenant.distributedLead()
    expect((await tenant.report(lead, { status: 'converted' }, { key: late })).status).toBe(401)
    expect((await tenant.report(lead, { status: 'converted' })).status).toBe(200)
  })

  it('leaves the snapshots, which lead back behind it', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ settings: { gender: 'required' } })
    await tenant.submit({ 'customer.personal_data.gender': 'other' })
    await tenant.control('POST', '/snapshots', { body: { name: 'then' } })
    await reset(tenant)
    expect((await read(tenant, '/snapshots')).snapshots).toMatchObject([{ name: 'then' }])
    const { json } = await tenant.control('POST', '/snapshots/then/restore')
    expect(json.settings.gender).toBe('required')
    expect((await read(tenant, '/leads')).leads).toHaveLength(1)
    expect((await reset(tenant)).settings.gender).toBe('optional')
  })

  it('gives the tenant demo its documented ids and keys', async () => {
    const demo = new Tenant(adapter, (await adapter.request('GET', `${tenantsPath}/demo`)).json)
    const made = demo.account
    await demo.change({
      settings: { gender: 'required' },
      products: [{ product_id: demo.product().product_id, name: 'X' }],
    })
    expect(await reset(demo)).toEqual(made)
    expect(made.publisher.api_key).toBe('sandbox_pub_demo_0000000000000000')
    expect((await demo.submit({}, 'ana@example.com')).json.status).toBe('distributed')
    await reset(demo)
    expect((await demo.submit({}, 'ana@example.com')).json.status).toBe('distributed')
  })

  it('of a tenant that is not there is a 404', async () => {
    expect((await adapter.request('POST', `${tenantsPath}/nobody/reset`)).status).toBe(404)
  })
})
