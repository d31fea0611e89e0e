import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'

const unknownId = '50000000-0000-4000-8000-00000000ffff'

inMemory('the control plane', adapter => {
  it('creates an account with everything that an integrator needs [5/issued_by] [9/rule-3]', async () => {
    const { account } = await createTenant(adapter)
    expect(account).toEqual({
      tenant: expect.stringMatching(/^[a-z0-9-]+$/),
      base_url: `${adapter.url}/api/v1`,
      publisher: {
        publisher_id: expect.any(String),
        api_key: expect.stringMatching(/^sandbox_pub_/),
        callback_url: expect.stringContaining('/_sandbox/inbox/'),
        callback_secret: expect.stringMatching(/^whsec_/),
      },
      advertisers: expect.any(Array),
      products: expect.any(Array),
      blacklist: [{ identification_number: expect.any(String) }],
      callbacks_held: false,
      settings: expect.objectContaining({ profile: 'prose', duplicate_window: 'PT60S' }),
    })
    expect(account.advertisers.map(advertiser => Object.keys(advertiser).sort())).toEqual(
      Array(3).fill(['advertiser_id', 'api_key', 'criteria', 'name', 'postback_secret', 'priority']),
    )
    expect(account.products.map(({ active }) => active)).toEqual([true, false])
  })

  it('shows, lists and deletes an account', async () => {
    const tenant = await createTenant(adapter)
    expect((await tenant.control('GET')).json).toEqual(tenant.account)
    const listed = async () =>
      (await adapter.request('GET', tenantsPath)).json.tenants.map((account: { tenant: string }) => account.tenant)
    expect(await listed()).toContain(tenant.account.tenant)
    expect((await tenant.control('DELETE')).status).toBe(200)
    expect(await listed()).not.toContain(tenant.account.tenant)
    for (const method of ['GET', 'DELETE']) expect((await tenant.control(method)).status).toBe(404)
    expect((await tenant.control('PATCH', '', { body: {} })).json.error).toBe('not_found')
  })

  it('accepts a chosen name once, and again after its deletion', async () => {
    const name = `mine-${Math.random().toString(36).slice(2, 10)}`
    const tenant = await createTenant(adapter, { name })
    expect(tenant.account.tenant).toBe(name)
    const again = await adapter.request('POST', tenantsPath, { body: { name } })
    expect([again.status, again.json.error]).toEqual([409, 'tenant_exists'])
    await tenant.control('DELETE')
    expect((await createTenant(adapter, { name })).account.tenant).toBe(name)
  })

  it('shows a lead with its related records', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'loan_issued', '&ref=r-1')
    const callbacks = await tenant.settledCallbacks(lead)
    const view = await tenant.lead(lead.toUpperCase())
    expect(view).toEqual({
      lead_id: lead,
      product_id: tenant.product().product_id,
      status: 'distributed',
      email: expect.stringMatching(/@example\.com$/),
      customer_name: 'Ana Prueba',
      loan_amount: 5000,
      loan_term_months: 24,
      advertisers: [{ advertiser_id: tenant.advertiser().advertiser_id, name: 'Crédito Alba' }],
      redirect_url: expect.any(String),
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      submission: expect.objectContaining({ product_id: tenant.product().product_id }),
      trace: expect.any(Array),
      deliveries: [
        {
          advertiser_id: tenant.advertiser().advertiser_id,
          name: 'Crédito Alba',
          decision: 'accepted',
          reasons: [],
          redirect_url: expect.any(String),
          postback_url: expect.stringMatching(/\?token=[0-9a-f]{64}$/),
        },
      ],
      events: [
        {
          event: 'approved',
          reported_as: 'loan_issued',
          via: 'pixel',
          advertiser_id: tenant.advertiser().advertiser_id,
          ref: 'r-1',
          recorded_at: expect.any(String),
        },
      ],
      callbacks,
    })
    expect((await tenant.control('GET', `/leads/${unknownId}`)).status).toBe(404)
  })
})
