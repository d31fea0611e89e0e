import { describe, expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'

const creation = { seed: 7, frozen_at: '2026-03-01T10:00:00Z', settings: { gender: 'optional', absent_fields: 'null' } }

/** The control plane's response below a tenant's path. */
const read = async (tenant: Tenant, path: string) => (await tenant.control('GET', path)).json

async function reset(tenant: Tenant) {
  const { status, json } = await tenant.control('POST', '/reset')
  expect(status).toBe(200)
  return json
}

onEveryStorage('a reset', adapter => {
  it('restores a tenant to its creation, except its callback URL', async () => {
    const tenant = await createTenant(adapter, { ...creation, callback_url: 'http://127.0.0.1:9/cb' })
    const callback_url = `${adapter.url}/_sandbox/inbox/${tenant.account.tenant}`
    const made = { ...tenant.account, publisher: { ...tenant.account.publisher, callback_url } }
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

  it('makes the same actions produce the same results, ids included', async () => {
    const tenant = await createTenant(adapter, creation)
    const story = async () => {
      const fault = { match: { operation: 'submitLead' }, effect: { status: 503 }, probability: 0.5 }
      const { fault_id } = (await tenant.control('POST', '/faults', { body: fault })).json
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

  it('refuses keys issued since, and accepts those it was created with', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ advertisers: [{ advertiser_id: '60000000-0000-4000-8000-000000000001', name: 'Late' }] })
    const late = tenant.advertiserKey(3)
    await reset(tenant)
    const lead = await tenant.distributedLead()
    expect((await tenant.report(lead, { status: 'converted' }, { key: late })).status).toBe(401)
    expect((await tenant.report(lead, { status: 'converted' })).status).toBe(200)
  })

  it("restores the demo tenant's documented ids and keys", async () => {
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
})

const putBacks = { 'a restore': '/snapshots/then/restore', 'a reset': '/reset' }

const save = (tenant: Tenant) => tenant.control('POST', '/snapshots', { body: { name: 'then' } })

onEveryStorage('requests in flight', adapter => {
  describe.each(Object.entries(putBacks))('during %s', (_name, path) => {
    it('get a response from before or after it, and leave nothing partial behind', async () => {
      const tenant = await createTenant(adapter)
      await save(tenant)
      const calls = []
      for (let round = 0; round < 6; round++) {
        for (let customer = 0; customer < 10; customer++) calls.push(tenant.submit({}, `c${customer}@example.com`))
        calls.push(tenant.control('POST', path))
        await new Promise(setImmediate)
      }
      for (let customer = 0; customer < 10; customer++) calls.push(tenant.submit({}, `c${customer}@example.com`))
      const replies = await Promise.all(calls)
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
      for (const { json } of replies.filter(({ json }) => json.lead_id ?? json.rejection_reason))
        expect(json.rejection_reason ?? json.status).toMatch(/^(distributed|customer_already_exists)$/)
      const { leads } = await read(tenant, '/leads?limit=500')
      const emails = leads.map(({ email }: { email: string }) => email)
      expect(new Set(emails).size).toBe(leads.length)
      const { requests } = await read(tenant, '/requests?limit=500')
      const noted = requests.flatMap(({ outcome, lead_id }: Record<string, string>) =>
        outcome === 'distributed' ? [lead_id] : [],
      )
      expect(noted).toEqual(leads.map(({ lead_id }: { lead_id: string }) => lead_id))
      const numbers = requests.map(({ request_id }: { request_id: string }) => Number(request_id.slice(1)))
      expect(numbers).toEqual(numbers.map((_: number, index: number) => numbers.length - index))
    })

    it('for pixels, bodies and a deletion end without an internal error', async () => {
      for (let round = 0; round < 5; round++) {
        const tenant = await createTenant(adapter)
        const lead = await tenant.distributedLead()
        const postback = await tenant.postback(lead)
        await save(tenant)
        const replies = await Promise.all([
          tenant.control('POST', path),
          ...['registration', 'approved', 'completed'].map(event =>
            adapter.request('GET', `${postback}&event=${event}`),
          ),
          tenant.report(lead, { status: 'converted' }),
          tenant.submit(),
          tenant.control('POST', path),
          tenant.control('DELETE'),
          tenant.control('POST', path),
          adapter.request('GET', `${postback}&event=approved`),
          tenant.submit(),
          tenant.control('GET', '/requests'),
          tenant.control('POST', '/faults', { body: { match: { operation: 'submitLead' }, effect: { status: 503 } } }),
          tenant.control('PATCH', '', { body: { settings: { gender: 'required' } } }),
        ])
        expect(replies.map(({ status }) => status).filter(status => status >= 500)).toEqual([])
        expect((await tenant.control('GET')).status).toBe(404)
        expect((await tenant.submit()).status).toBe(401)
      }
    })
  })

  it('to a tenant with faults that is deleted are refused, without an internal error', async () => {
    for (let round = 0; round < 10; round++) {
      const tenant = await createTenant(adapter)
      const fault = { match: { operation: 'submitLead', scenario: 'new' }, effect: { status: 503 } }
      await tenant.control('POST', '/faults', { body: fault })
      const calls = Array.from({ length: 20 }, () => tenant.submit({}, `new+${Math.random()}@sandbox.test`))
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate)
      await tenant.control('DELETE')
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(statuses.filter(status => status !== 401 && status !== 503)).toEqual([])
    }
  })

  it('to a deleted tenant do not reach the next one with its name', async () => {
    const name = `again-${Math.random().toString(36).slice(2, 10)}`
    for (let round = 0; round < 5; round++) {
      const tenant = await createTenant(adapter, { name, seed: 1 })
      const late = Array.from({ length: 20 }, () => tenant.submit())
      await new Promise(setImmediate)
      await tenant.control('DELETE')
      const next = await createTenant(adapter, { name, seed: 2 })
      await Promise.all(late)
      expect((await tenant.submit()).status).toBe(401)
      expect(await read(next, '/leads')).toEqual({ leads: [] })
      await next.submit()
      await new Promise(resolve => setTimeout(resolve, 120))
      const { requests } = await read(next, '/requests')
      expect(requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual(['r1'])
      await next.control('DELETE')
    }
  })
})
