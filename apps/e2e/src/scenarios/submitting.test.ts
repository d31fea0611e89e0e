import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { type Changes, consent, metadata } from '../adapters/submission.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
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
