import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { type Changes, consent, createTenant, metadata, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** Real data for the rejections that store a lead. */
const rejectedWithLead: [reason: string, changes: Changes][] = [
  ['age_restriction', { 'customer.personal_data.birthday': '2015-01-01' }],
  ['income_insufficient', { 'customer.profile': { occupation: 'other', monthly_income: 599 } }],
  ['geographic_restriction', { 'customer.address': { country: 'PT' } }],
  ['eligibility_failed', { 'customer.profile': { occupation: 'unemployed', monthly_income: 2000 } }],
  ['fraud_suspected', { 'consents.metadata': { ...metadata, ip_address: '192.0.2.44' } }],
]

inMemory('submitting', adapter => {
  it('stores every lead rejected by a business rule [2.12/rejection_reason] [3/rejected]', () =>
    eachRow(rejectedWithLead, async (reason, changes) => {
      const tenant = await createTenant(adapter)
      const { json } = await tenant.submit(changes)
      expect(await tenant.lead(json.lead_id)).toMatchObject({
        status: 'rejected',
        rejection_reason: reason,
        deliveries: [],
      })
    }))

  it("refuses another publisher's publisher_id with 422 [2.1/publisher_id]", async () => {
    const [tenant, other] = [await createTenant(adapter), await createTenant(adapter)]
    const { status, json } = await tenant.submit({ publisher_id: other.account.publisher.publisher_id })
    expect([status, json]).toEqual([422, { error: 'publisher_mismatch', message: expect.any(String) }])
  })

  it('treats an empty text as a missing field if there is a default [8/country] [8/area_code]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead({
      'customer.personal_data.nacionality': '',
      'customer.contact.phone': { area_code: '', number: '' },
      'customer.address': { country: '', city: '' },
      'customer.financial_instruments': [{ currency: '' }],
    })
    expect((await tenant.lead(lead)).submission.customer).toMatchObject({
      personal_data: { nacionality: 'ES' },
      contact: { phone: { area_code: '+34', number: '' } },
      address: { country: 'ES', city: '' },
      financial_instruments: [{ currency: 'EUR' }],
    })
  })

  it('treats a consent both given and refused in one list as not accepted [2.9/entries]', async () => {
    const tenant = await createTenant(adapter)
    const refused = consent('terms', false)
    for (const entries of [
      [consent('terms'), consent('privacy_policy'), refused],
      [refused, consent('privacy_policy'), consent('terms')],
    ])
      expect(await tenant.submit({ 'consents.entries': entries })).toMatchObject({
        status: 422,
        json: { error: 'consents_missing' },
      })
    const twice = [consent('terms'), consent('privacy_policy'), consent('terms')]
    expect((await tenant.submit({ 'consents.entries': twice })).status).toBe(200)
  })

  it('fills in defaults, and keeps sent values [8/nacionality] [8/area_code] [8/currency] [8/children] [2.2/external_id] [2.10/click_id]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead({
      'customer.external_id': 'crm-1',
      'customer.contact.phone': { number: '600123456' },
      'customer.address': { city: 'Burgos' },
      'customer.profile': { occupation: 'other', monthly_income: 2000 },
      'customer.financial_instruments': [{ type: 'bank_account' }],
      tracking: { click_id: 'c-1', source: 'https://example.com/loans' },
    })
    const { submission } = await tenant.lead(lead)
    expect(submission).toMatchObject({
      customer: {
        external_id: 'crm-1',
        personal_data: { nacionality: 'ES' },
        contact: { phone: { area_code: '+34', number: '600123456' } },
        address: { city: 'Burgos', country: 'ES' },
        profile: { children: 0 },
        financial_instruments: [{ type: 'bank_account', currency: 'EUR' }],
      },
      tracking: { click_id: 'c-1', source: 'https://example.com/loans' },
    })
  })
})

inMemory('interpretations of required fields', adapter => {
  describe('semantic_refusals', () => {
    const unknownProduct = { product_id: '20000000-0000-4000-8000-00000000ffff' }
    const declined = { 'consents.entries': [consent('terms'), consent('privacy_policy', false)] }

    it('rejected_200 rejects both, and creates no lead [open/semantic_refusals] [2.12/consents_missing] [2.12/invalid_product]', async () => {
      const tenant = await createTenant(adapter, { settings: { semantic_refusals: 'rejected_200' } })
      const replies = [await tenant.submit(declined), await tenant.submit(unknownProduct)]
      expect(replies.map(({ status, json }) => [status, json])).toEqual([
        [200, { status: 'rejected', rejection_reason: 'consents_missing' }],
        [200, { status: 'rejected', rejection_reason: 'invalid_product' }],
      ])
    })

    it('keeps a 422 for another publisher, and a rejection for an inactive product [open/error.publisher_mismatch]', async () => {
      const inactive = async (semantic_refusals: string) => {
        const tenant = await createTenant(adapter, { settings: { semantic_refusals } })
        const mismatch = await tenant.submit({ publisher_id: '10000000-0000-4000-8000-00000000ffff' })
        expect([mismatch.status, mismatch.json.error]).toEqual([422, 'publisher_mismatch'])
        return (await tenant.submit({ product_id: tenant.product(false).product_id })).json
      }
      for (const value of ['http_422', 'rejected_200'])
        expect(await inactive(value)).toEqual({ status: 'rejected', rejection_reason: 'invalid_product' })
    })
  })

  describe('profiles', () => {
    const both = (work: (tenant: Tenant) => Promise<unknown>) =>
      Promise.all(['prose', 'formal'].map(async profile => work(await createTenant(adapter, { profile }))))
    const warnings = async (tenant: Tenant) => (await tenant.client.requests.list()).requests[0]?.warnings
    /** The fields that make a lead pass under both profiles. */
    const complete = { 'customer.personal_data.gender': 'female', 'consents.metadata': metadata }

    it("differ on a minimal lead, and each journal names the other interpretation's switches", async () => {
      const seen = await both(async tenant => {
        const { status } = await tenant.submit()
        return [status, (await warnings(tenant))?.map(warning => warning.switch)]
      })
      expect(seen).toEqual([
        [200, ['gender', 'consent_metadata']],
        [400, ['gender', 'consent_metadata']],
      ])
    })

    it('differ in absent fields, PATCH, and event names in callbacks', async () => {
      const seen = await both(async tenant => {
        const { json } = await tenant.submit(complete)
        const patched = await tenant.report(json.lead_id, { status: 'approved' }, { method: 'PATCH' })
        await tenant.report(json.lead_id, { status: 'approved' })
        const [callback] = await tenant.settledCallbacks(json.lead_id)
        return [json.rejection_reason, patched.status, callback.event]
      })
      expect(seen).toEqual([
        [undefined, 200, 'loan_issued'],
        [null, 405, 'approved'],
      ])
    })
  })
})

const abroad = { 'customer.address': { country: 'PT' } }
const ana = 'ana@example.com'
const reasonOf = async (tenant: Tenant, changes: Changes = {}) => {
  const { json } = await tenant.submit(changes, ana)
  return json.rejection_reason ?? json.error ?? json.status
}

inMemory('interpretations of a returning customer', adapter => {
  it('a window ends, and a rejection within it does not extend it [open/duplicate_window] [2.12/duplicate_submission]', async () => {
    const settings = { duplicate_window: 'PT1S' }
    const tenant = await createTenant(adapter, { frozen_at: '2026-06-15T12:00:00Z', settings })
    const advance = () => tenant.control('POST', '/clock/advance', { body: { by: 'PT0.5S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    await advance()
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
    await advance()
    expect(await reasonOf(tenant)).toBe('distributed')
  })

  it('the blacklist starts it, in any letter case, and applies before it', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ blacklist: [{ email: ana.toUpperCase() }] })
    expect([await reasonOf(tenant), await reasonOf(tenant)]).toEqual(['blacklisted', 'blacklisted'])
    await tenant.change({ blacklist: [] })
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
  })

  it('semantic rejections do not start a window either [open/semantic_refusals]', async () => {
    const tenant = await createTenant(adapter, { settings: { semantic_refusals: 'rejected_200' } })
    expect(await reasonOf(tenant, { 'consents.entries': [] })).toBe('consents_missing')
    expect(await reasonOf(tenant)).toBe('distributed')
  })
})

interface Delivery {
  name: string
  decision: string
  reasons: string[]
  postback_url?: string
  redirect_url?: string
}
const decisionsOf = (deliveries: Delivery[]) => deliveries.map(({ name, decision }) => `${name} ${decision}`)

inMemory('distribution', adapter => {
  it('asks by priority until one accepts, and shows why others declined [3/distributed] [4.1/rule-3]', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit({ 'product_data.loan_amount': 20_000 })
    const { deliveries, redirect_url, trace } = await tenant.lead(json.lead_id)
    expect(decisionsOf(deliveries)).toEqual(['Crédito Alba declined', 'Banco Brisa accepted'])
    expect(deliveries[0].reasons).toHaveLength(1)
    expect(deliveries[0]).not.toHaveProperty('postback_url')
    expect(deliveries[1].redirect_url).toBe(json.redirect_url)
    expect(redirect_url).toBe(json.redirect_url)
    expect(trace.map(({ verdict }: { verdict: string }) => verdict)).toEqual(Array(trace.length).fill('passed'))
  })

  it('asks in another order with other priorities [open/distribution]', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ advertisers: [{ advertiser_id: tenant.advertiser(2).advertiser_id, priority: 0 }] })
    const { deliveries } = await tenant.lead(await tenant.distributedLead())
    expect(decisionsOf(deliveries)).toEqual(['Caja Cumbre accepted'])
  })

  it('gives each advertiser with the lead its own token [4.3/token] [5/rule-1]', async () => {
    const tenant = await createTenant(adapter, { settings: { distribution: 'all_accepting' } })
    const lead = await tenant.distributedLead()
    const [first, second] = [await tenant.postback(lead, 0), await tenant.postback(lead, 1)]
    expect(first).not.toBe(second)
    for (const postback of [first, second, first])
      expect((await adapter.request('GET', `${postback}&event=approved`)).status).toBe(200)
    const { events } = await tenant.lead(lead)
    const ids = [0, 2].map(index => tenant.advertiser(index).advertiser_id)
    expect(events.map(({ advertiser_id }: { advertiser_id: string }) => advertiser_id)).toEqual([
      ids[0],
      expect.any(String),
    ])
  })

  it('applies the criteria that an account publishes [9/rule-2]', async () => {
    const tenant = await createTenant(adapter)
    const { advertiser_id } = tenant.advertiser()
    await tenant.change({ advertisers: [{ advertiser_id, criteria: { loan_purposes_excluded: ['wedding'] } }] })
    const { json } = await tenant.submit({ 'product_data.loan_purpose': 'wedding' })
    const { deliveries } = await tenant.lead(json.lead_id)
    expect(deliveries[0]).toMatchObject({ decision: 'declined', reasons: [expect.stringContaining('wedding')] })
  })

  it('asks an added advertiser, and gives it its own key [5/advertiser_key]', async () => {
    const tenant = await createTenant(adapter)
    const advertiser_id = '30000000-0000-4000-8000-00000000000d'
    await tenant.change({ advertisers: [{ advertiser_id, name: 'Dinero Duero', priority: 0 }] })
    const lead = await tenant.distributedLead()
    expect(decisionsOf((await tenant.lead(lead)).deliveries)).toEqual(['Dinero Duero accepted'])
    const key = tenant.account.advertisers.find(advertiser => advertiser.advertiser_id === advertiser_id)?.api_key ?? ''
    expect((await tenant.report(lead, { status: 'approved', advertiser_id }, { key })).status).toBe(200)
  })
})
