import { describe, expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { type Changes, consent, metadata } from '../doors/submission.ts'
import { createTenant } from '../doors/tenant.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Real data for the rejections that keep a lead. */
const rejectedWithLead: [reason: string, changes: Changes][] = [
  ['age_restriction', { 'customer.personal_data.birthday': '2015-01-01' }],
  ['income_insufficient', { 'customer.profile': { occupation: 'other', monthly_income: 599 } }],
  ['geographic_restriction', { 'customer.address': { country: 'PT' } }],
  ['eligibility_failed', { 'customer.profile': { occupation: 'unemployed', monthly_income: 2000 } }],
  ['fraud_suspected', { 'consents.metadata': { ...metadata, ip_address: '192.0.2.44' } }],
]

atEveryDoor('submitting', door => {
  it('distributes a smallest valid lead and redirects to the lender [4.1/200] [4.1/rule-1] [3/distributed] [2.12/redirect_url]', async () => {
    const tenant = await createTenant(door)
    const { status, json, headers } = await tenant.submit()
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(json).toEqual({
      lead_id: expect.stringMatching(uuid),
      status: 'distributed',
      redirect_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
    })
  })

  it('keeps as new a lead that no advertiser takes [3/new] [2.12/lead_id]', async () => {
    const tenant = await createTenant(door)
    const { status, json } = await tenant.submit({ 'product_data.loan_amount': 60_000 })
    expect(status).toBe(200)
    expect(json).toEqual({ lead_id: expect.stringMatching(uuid), status: 'new' })
  })

  describe('rejections with a lead', () => {
    it.each(rejectedWithLead)(
      'rejects as %s, and keeps the lead [2.12/rejection_reason] [3/rejected]',
      async (reason, changes) => {
        const tenant = await createTenant(door)
        const { status, json } = await tenant.submit(changes)
        expect(status).toBe(200)
        expect(json).toEqual({ lead_id: expect.stringMatching(uuid), status: 'rejected', rejection_reason: reason })
        expect(await tenant.lead(json.lead_id)).toMatchObject({
          status: 'rejected',
          rejection_reason: reason,
          deliveries: [],
        })
      },
    )

    it('rejects as blacklisted, and keeps the lead [2.12/blacklisted]', async () => {
      const tenant = await createTenant(door)
      await tenant.change({ blacklist: [{ email: 'ANA@example.com' }] })
      const { json } = await tenant.submit(undefined, 'ana@example.com')
      expect(json).toEqual({
        lead_id: expect.stringMatching(uuid),
        status: 'rejected',
        rejection_reason: 'blacklisted',
      })
    })
  })

  describe('rejections without a lead', () => {
    it('rejects the second submission of an address as customer_already_exists [2.12/customer_already_exists] [2.4/email.address] [4.1/rule-2]', async () => {
      const tenant = await createTenant(door)
      await tenant.submit(undefined, 'ana@example.com')
      const { status, json } = await tenant.submit(undefined, 'ana@example.com')
      expect([status, json]).toEqual([200, { status: 'rejected', rejection_reason: 'customer_already_exists' }])
    })

    it('rejects an address that was refused just now as duplicate_submission [2.12/duplicate_submission]', async () => {
      const tenant = await createTenant(door)
      await tenant.submit({ 'customer.address': { country: 'PT' } }, 'ana@example.com')
      const { status, json } = await tenant.submit(undefined, 'ana@example.com')
      expect([status, json]).toEqual([200, { status: 'rejected', rejection_reason: 'duplicate_submission' }])
    })

    it('rejects a product that is switched off as invalid_product [2.12/invalid_product]', async () => {
      const tenant = await createTenant(door)
      const { status, json } = await tenant.submit({ product_id: tenant.product(false).product_id })
      expect([status, json]).toEqual([200, { status: 'rejected', rejection_reason: 'invalid_product' }])
    })
  })

  describe('refusals', () => {
    it('refuses consents that are not accepted with 422 [4.1/422] [7/422] [2.9/entries] [8/required_accepted_consents]', async () => {
      const tenant = await createTenant(door)
      for (const entries of [[], [consent('terms')], [consent('terms'), consent('privacy_policy', false)]]) {
        const { status, json } = await tenant.submit({ 'consents.entries': entries })
        expect([status, json]).toEqual([422, { error: 'consents_missing', message: expect.any(String) }])
      }
    })

    it('refuses a product that is not there with 422 [4.1/422] [7/422]', async () => {
      const tenant = await createTenant(door)
      const { status, json } = await tenant.submit({ product_id: '20000000-0000-4000-8000-00000000ffff' })
      expect([status, json]).toEqual([422, { error: 'invalid_product', message: expect.any(String) }])
    })

    it('refuses the publisher_id of somebody else with 422 [2.1/publisher_id]', async () => {
      const [tenant, other] = [await createTenant(door), await createTenant(door)]
      const { status, json } = await tenant.submit({ publisher_id: other.account.publisher.publisher_id })
      expect([status, json]).toEqual([422, { error: 'publisher_mismatch', message: expect.any(String) }])
    })

    it('lists every wrong field at once with 400 [4.1/400] [7/400] [2.13/details]', async () => {
      const tenant = await createTenant(door)
      const { status, json } = await tenant.submit({
        product_data: { loan_amount: 499, loan_purpose: 'yacht', loan_term_months: 85 },
        'customer.contact.email.address': 'nobody',
        'consents.entries': [{ ...consent('terms'), accepted_at: null }],
      })
      expect(status).toBe(400)
      expect(json).toEqual({ error: 'validation_error', message: expect.any(String), details: expect.any(Array) })
      expect(json.details.map(({ field }: { field: string }) => field).sort()).toEqual([
        'consents.entries.0.accepted_at',
        'customer.contact.email.address',
        'product_data.loan_amount',
        'product_data.loan_purpose',
        'product_data.loan_term_months',
      ])
    })

    it('carries details in a 400 of the shape alone [2.13/details]', async () => {
      const tenant = await createTenant(door)
      const { status, json } = await tenant.submitBody('{', { 'content-type': 'application/json' })
      expect([status, json]).toEqual([400, { error: 'malformed_json', message: expect.any(String) }])
    })
  })

  it('takes the ends of the bounds, and nothing beyond [2.8/loan_amount] [2.8/loan_term_months] [8/loan_amount] [8/loan_term_months]', async () => {
    const tenant = await createTenant(door)
    const statusOf = async (field: string, value: unknown) =>
      (await tenant.submit({ [`product_data.${field}`]: value })).status
    for (const amount of [500, 75_000]) expect(await statusOf('loan_amount', amount)).toBe(200)
    for (const amount of [499, 75_001, 5000.5, '5000', null]) expect(await statusOf('loan_amount', amount)).toBe(400)
    for (const term of [3, 84]) expect(await statusOf('loan_term_months', term)).toBe(200)
    for (const term of [2, 85, 24.5, '24']) expect(await statusOf('loan_term_months', term)).toBe(400)
  })

  it('fills defaults in, and keeps what was sent [8/nacionality] [8/area_code] [8/currency] [8/children] [2.2/external_id] [2.10/click_id]', async () => {
    const tenant = await createTenant(door)
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

  it('ignores fields that it does not know', async () => {
    const tenant = await createTenant(door)
    const { json } = await tenant.submitBody({
      ...tenant.body(),
      shoe_size: 42,
      customer: { ...tenant.body().customer, pets: [] },
    })
    expect(json.status).toBe('distributed')
  })
})
