import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { type Changes, consent, createTenant, metadata, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** Real data for the rejections that keep a lead. */
const rejectedWithLead: [reason: string, changes: Changes][] = [
  ['age_restriction', { 'customer.personal_data.birthday': '2015-01-01' }],
  ['income_insufficient', { 'customer.profile': { occupation: 'other', monthly_income: 599 } }],
  ['geographic_restriction', { 'customer.address': { country: 'PT' } }],
  ['eligibility_failed', { 'customer.profile': { occupation: 'unemployed', monthly_income: 2000 } }],
  ['fraud_suspected', { 'consents.metadata': { ...metadata, ip_address: '192.0.2.44' } }],
]

inMemory('submitting', adapter => {
  it('keeps every lead that is rejected by a business rule [2.12/rejection_reason] [3/rejected]', () =>
    eachRow(rejectedWithLead, async (reason, changes) => {
      const tenant = await createTenant(adapter)
      const { json } = await tenant.submit(changes)
      expect(await tenant.lead(json.lead_id)).toMatchObject({
        status: 'rejected',
        rejection_reason: reason,
        deliveries: [],
      })
    }))

  it('refuses the publisher_id of somebody else with 422 [2.1/publisher_id]', async () => {
    const [tenant, other] = [await createTenant(adapter), await createTenant(adapter)]
    const { status, json } = await tenant.submit({ publisher_id: other.account.publisher.publisher_id })
    expect([status, json]).toEqual([422, { error: 'publisher_mismatch', message: expect.any(String) }])
  })

  it('fills defaults in, and keeps what was sent [8/nacionality] [8/area_code] [8/currency] [8/children] [2.2/external_id] [2.10/click_id]', async () => {
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

inMemory('interpretations of what a lead must have', adapter => {
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

    it('leaves the refusal of another publisher a 422, and of an inactive product a rejection [open/error.publisher_mismatch]', async () => {
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
    it('yield to a single switch', async () => {
      const tenant = await createTenant(adapter, {
        profile: 'formal',
        settings: { gender: 'optional', absent_fields: 'omit' },
      })
      const { status, json } = await tenant.submit({ 'consents.metadata': metadata })
      expect([status, json.rejection_reason]).toEqual([200, undefined])
    })

    it('are changed by a setting of a tenant that is at work', async () => {
      const tenant = await createTenant(adapter)
      await tenant.change({ settings: { profile: 'formal' } })
      expect((await tenant.submit()).status).toBe(400)
      await tenant.change({ settings: { profile: 'prose' } })
      expect((await tenant.submit()).status).toBe(200)
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
  it('a window of no length is off [open/duplicate_window]', async () => {
    const tenant = await createTenant(adapter, { settings: { duplicate_window: 'PT0S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    expect(await reasonOf(tenant)).toBe('distributed')
  })

  it('a window ends, and being refused within it does not extend it [open/duplicate_window] [2.12/duplicate_submission]', async () => {
    const settings = { duplicate_window: 'PT1S' }
    const tenant = await createTenant(adapter, { frozen_at: '2026-06-15T12:00:00Z', settings })
    const advance = () => tenant.control('POST', '/clock/advance', { body: { by: 'PT0.5S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    await advance()
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
    await advance()
    expect(await reasonOf(tenant)).toBe('distributed')
  })

  it('the blacklist starts it, in any letter case, and is judged before it', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ blacklist: [{ email: ana.toUpperCase() }] })
    expect([await reasonOf(tenant), await reasonOf(tenant)]).toEqual(['blacklisted', 'blacklisted'])
    await tenant.change({ blacklist: [] })
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
  })

  it('the rejections of the semantic kind start no window either [open/semantic_refusals]', async () => {
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
  it('asks by priority until one accepts, and shows why the others declined [3/distributed] [4.1/rule-3]', async () => {
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

  it('asks in another order where the priorities say so [open/distribution]', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ advertisers: [{ advertiser_id: tenant.advertiser(2).advertiser_id, priority: 0 }] })
    const { deliveries } = await tenant.lead(await tenant.distributedLead())
    expect(decisionsOf(deliveries)).toEqual(['Caja Cumbre accepted'])
  })

  it('offers the lead to all under all_accepting, and redirects to the first that accepts [open/distribution]', async () => {
    const tenant = await createTenant(adapter, { settings: { distribution: 'all_accepting' } })
    const { json } = await tenant.submit({ 'product_data.loan_amount': 20_000 })
    const { deliveries } = await tenant.lead(json.lead_id)
    expect(decisionsOf(deliveries)).toEqual(['Crédito Alba declined', 'Banco Brisa accepted', 'Caja Cumbre accepted'])
    expect(json.redirect_url).toBe(deliveries[1].redirect_url)
  })

  it('gives each advertiser that has the lead its own token [4.3/token] [5/rule-1]', async () => {
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

  it('makes the lead new where all decline, and shows why [3/new]', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit({ 'product_data.loan_amount': 60_000 })
    const { deliveries, status } = await tenant.lead(json.lead_id)
    expect([status, decisionsOf(deliveries)]).toEqual([
      'new',
      ['Crédito Alba declined', 'Banco Brisa declined', 'Caja Cumbre declined'],
    ])
  })

  it('goes by the criteria that an account publishes [9/rule-2]', async () => {
    const tenant = await createTenant(adapter)
    const { advertiser_id } = tenant.advertiser()
    await tenant.change({ advertisers: [{ advertiser_id, criteria: { loan_purposes_excluded: ['wedding'] } }] })
    const { json } = await tenant.submit({ 'product_data.loan_purpose': 'wedding' })
    const { deliveries } = await tenant.lead(json.lead_id)
    expect(deliveries[0]).toMatchObject({ decision: 'declined', reasons: [expect.stringContaining('wedding')] })
  })

  it('asks an advertiser that was added, and gives it its own key [5/advertiser_key]', async () => {
    const tenant = await createTenant(adapter)
    const advertiser_id = '30000000-0000-4000-8000-00000000000d'
    await tenant.change({ advertisers: [{ advertiser_id, name: 'Dinero Duero', priority: 0 }] })
    const lead = await tenant.distributedLead()
    expect(decisionsOf((await tenant.lead(lead)).deliveries)).toEqual(['Dinero Duero accepted'])
    const key = tenant.account.advertisers.find(advertiser => advertiser.advertiser_id === advertiser_id)?.api_key ?? ''
    expect((await tenant.report(lead, { status: 'approved', advertiser_id }, { key })).status).toBe(200)
  })
})

inMemory('the simulated advertiser', adapter => {
  const pageOf = async (redirect_url: string) => {
    const { pathname, origin } = new URL(redirect_url)
    expect(origin).toBe(adapter.url)
    return adapter.request('GET', pathname)
  }

  const tokenOf = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  /** The page after its form was sent with these values, as text. */
  const pressed = async (redirect_url: string, form: Record<string, string>) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = String(new URLSearchParams(form))
    const { status, text } = await adapter.request('POST', new URL(redirect_url).pathname, { headers, body })
    expect(status).toBe(200)
    return text.replaceAll('&#34;', '"')
  }

  it('shows the figures, and a button for each event that fires the real pixel [4.3/rule-2] [9/rule-1]', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit()
    const { status, headers, text } = await pageOf(json.redirect_url)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('5000 euros over 24 months')
    const token = tokenOf(text)
    const events = [...text.matchAll(/<button name="event" value="([^"]+)"/g)].map(([, event]) => event)
    expect(events).toEqual(['registration', 'approved', 'rejected', 'completed', 'defaulted'])
    for (const event of events) {
      const shown = await pressed(json.redirect_url, { token, event: event ?? '' })
      expect(shown).toContain(`The service recorded ${event}, and sends a callback to the publisher.`)
    }
    expect((await tenant.inbox(5)).map(({ lead_id }) => lead_id)).toEqual(Array(5).fill(json.lead_id))
  })

  it('says what the service answered: that it ignored an event, refused a token, or sent nothing', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit()
    const token = tokenOf((await pageOf(json.redirect_url)).text)
    const press = (form: Record<string, string>) => pressed(json.redirect_url, form)
    await press({ token, event: 'approved' })
    expect(await press({ token, event: 'approved' })).toContain('The service ignored approved: it was reported before')
    expect(await press({ token: 'wrong', event: 'approved' })).toContain('refused approved with 401 unauthorized. Send')
    expect(await press({ token, event: '<b>' })).toContain('refused &#60;b&#62; with 400 validation_error')
    const fault = { match: { operation: 'reportEvent' }, effect: { reset: true } }
    await tenant.control('POST', '/faults', { body: fault })
    expect(await press({ token, event: 'rejected' })).toContain('sent no response to rejected: a fault broke')
    expect((await tenant.lead(json.lead_id)).events).toMatchObject([{ event: 'approved', via: 'pixel' }])
  })

  it('refuses a form that is larger than any of its own', async () => {
    const tenant = await createTenant(adapter)
    const { pathname } = new URL((await tenant.submit()).json.redirect_url)
    expect((await adapter.request('POST', pathname, { body: 'x'.repeat(5_000) })).status).toBe(413)
  })

  it('shows nothing of the customer, runs no script and opens in no frame', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit()
    const { headers, text } = await pageOf(json.redirect_url)
    expect(text).not.toMatch(/Prueba|customer-1|<script/)
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  })

  it('shows no name of an advertiser as markup', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({
      advertisers: [{ advertiser_id: tenant.advertiser().advertiser_id, name: '<img src=x onerror=alert(1)>' }],
    })
    const { json } = await tenant.submit()
    expect((await pageOf(json.redirect_url)).text).not.toContain('<img')
  })

  it('has nothing at any other path', () =>
    eachRow(['/', '/x', '/x/y', '/x/y/z', '/%3Cscript%3E/y'], async path => {
      const { status, text } = await adapter.request('GET', `/_sandbox/lender${path}`)
      expect(status).toBe(404)
      expect(text).not.toContain('<script>')
    }))

  describe('of a lead that was not distributed to it', () => {
    it('has no page', async () => {
      const tenant = await createTenant(adapter)
      const lead = await tenant.distributedLead()
      const path = `/_sandbox/lender/${lead}/${tenant.advertiser(1).advertiser_id}`
      expect((await adapter.request('GET', path)).status).toBe(404)
    })
  })
})
