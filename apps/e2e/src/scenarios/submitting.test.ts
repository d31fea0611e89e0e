import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { type Changes, metadata } from '../adapters/submission.ts'
import { createTenant } from '../adapters/tenant.ts'

/** Real data for the rejections that keep a lead. */
const rejectedWithLead: [reason: string, changes: Changes][] = [
  ['age_restriction', { 'customer.personal_data.birthday': '2015-01-01' }],
  ['income_insufficient', { 'customer.profile': { occupation: 'other', monthly_income: 599 } }],
  ['geographic_restriction', { 'customer.address': { country: 'PT' } }],
  ['eligibility_failed', { 'customer.profile': { occupation: 'unemployed', monthly_income: 2000 } }],
  ['fraud_suspected', { 'consents.metadata': { ...metadata, ip_address: '192.0.2.44' } }],
]

inMemory('submitting', adapter => {
  it.each(rejectedWithLead)(
    'keeps the lead that is rejected as %s [2.12/rejection_reason] [3/rejected]',
    async (reason, changes) => {
      const tenant = await createTenant(adapter)
      const { json } = await tenant.submit(changes)
      expect(await tenant.lead(json.lead_id)).toMatchObject({
        status: 'rejected',
        rejection_reason: reason,
        deliveries: [],
      })
    },
  )

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
