import { expect, it } from 'vitest'
import { onEveryAdapter } from './every-adapter.ts'
import { openReceiver, withStatus } from './receiver.ts'
import { createTenant, type Tenant } from './tenant.ts'

onEveryAdapter("an advertiser's back end on this machine", adapter => {
  /** A tenant whose first advertiser has a back end. */
  async function tenantWith(backend_url: string): Promise<Tenant> {
    const tenant = await createTenant(adapter)
    const { advertiser_id } = tenant.advertiser()
    await tenant.change({ advertisers: [{ advertiser_id, backend_url }] })
    expect(tenant.advertiser()).toMatchObject({ backend_url })
    return tenant
  }
  const answerOf = async (tenant: Tenant, lead: string) => (await tenant.lead(lead)).deliveries[0].backend

  it("receives the lead's id before the publisher gets the response, and no customer data", async () => {
    await using backend = await openReceiver(withStatus(201))
    const tenant = await tenantWith(`${backend.url}/leads?from=sandbox`)
    const lead_id = await tenant.distributedLead()
    const status_url = `${tenant.account.base_url}/lead/${lead_id}/status`
    const postback_url = `${adapter.url}${await tenant.postback(lead_id)}`
    expect(backend.received.map(({ method, target, body }) => [method, target, JSON.parse(body)])).toEqual([
      ['POST', '/leads?from=sandbox', { lead_id, postback_url, status_url, amount: 5000, term_months: 24 }],
    ])
    expect(backend.received[0]?.headers['content-type']).toBe('application/json')
    await expect
      .poll(() => answerOf(tenant, lead_id))
      .toEqual({ at: expect.any(String), status: 201, ms: expect.any(Number) })

    const fired = await adapter.request('GET', `${postback_url.slice(adapter.url.length)}&event=approved`)
    expect(fired.json).toMatchObject({ lead_id, event: 'approved', status: 'received' })
  })

  it('does not delay a reset, which aborts the request to it', async () => {
    await using backend = await openReceiver(() => undefined)
    const tenant = await tenantWith(backend.url)
    const submitted = tenant.submit()
    await expect.poll(() => backend.received.length).toBe(1)
    await tenant.client.reset()
    expect((await submitted).status).toBe(200)
    expect((await tenant.client.leads.list()).leads).toEqual([])
    expect((await tenant.client.show()).advertisers[0]).not.toHaveProperty('backend_url')
  })

  it("must be on this machine: other addresses are refused with their field's name, and null removes it", async () => {
    const tenant = await tenantWith('http://localhost:4030/leads')
    const { advertiser_id } = tenant.advertiser()
    const set = (backend_url: unknown) =>
      tenant.control('PATCH', '', { body: { advertisers: [{ advertiser_id, backend_url }] } })
    for (const url of ['http://lender.example/', 'http://10.0.0.1/', 'http://127.0.0.1.lender.example/', '', 5]) {
      const { status, json } = await set(url)
      expect([status, json.details[0].field]).toEqual([400, 'advertisers.0.backend_url'])
    }
    expect((await tenant.client.show()).advertisers[0]?.backend_url).toBe('http://localhost:4030/leads')
    expect((await set(null)).json.advertisers[0]).not.toHaveProperty('backend_url')
  })
})
