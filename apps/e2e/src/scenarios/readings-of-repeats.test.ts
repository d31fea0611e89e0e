import { expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { consent } from '../doors/submission.ts'
import { createTenant, type Tenant } from '../doors/tenant.ts'

const abroad = { 'customer.address': { country: 'PT' } }
const ana = 'ana@example.com'
const reasonOf = async (tenant: Tenant, changes: object = {}, email = ana) => {
  const { json } = await tenant.submit(changes as never, email)
  return json.rejection_reason ?? json.error ?? json.status
}

atEveryDoor('readings of a customer who comes back', door => {
  it('a window of no length is off [open/duplicate_window]', async () => {
    const tenant = await createTenant(door, { settings: { duplicate_window: 'PT0S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    expect(await reasonOf(tenant)).toBe('distributed')
  })

  it('a window ends, and being refused within it does not extend it [open/duplicate_window] [2.12/duplicate_submission]', async () => {
    const tenant = await createTenant(door, { settings: { duplicate_window: 'PT1S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
    await expect.poll(() => reasonOf(tenant), { interval: 20, timeout: 5000 }).toBe('distributed')
  })

  it('every rejection that keeps a lead starts the window [2.12/duplicate_submission]', async () => {
    const starters: [reason: string, changes: object][] = [
      ['age_restriction', { 'customer.personal_data.birthday': '2015-01-01' }],
      ['income_insufficient', { 'customer.profile': { occupation: 'other', monthly_income: 1 } }],
      ['geographic_restriction', abroad],
      ['eligibility_failed', { 'customer.profile': { occupation: 'unemployed', monthly_income: 2000 } }],
      ['fraud_suspected', { 'consents.metadata': { ip_address: '192.0.2.1', collected_at: '2026-01-31T09:30:00Z' } }],
    ]
    const tenant = await createTenant(door)
    for (const [reason, changes] of starters) {
      const email = `${reason}@example.com`
      expect(await reasonOf(tenant, changes, email)).toBe(reason)
      expect(await reasonOf(tenant, {}, email)).toBe('duplicate_submission')
    }
  })

  it('the blacklist starts it, and is judged before it', async () => {
    const tenant = await createTenant(door)
    await tenant.change({ blacklist: [{ email: ana }] })
    expect([await reasonOf(tenant), await reasonOf(tenant)]).toEqual(['blacklisted', 'blacklisted'])
    await tenant.change({ blacklist: [] })
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
  })

  it('a refusal without a lead starts no window [2.12/duplicate_submission]', async () => {
    const tenant = await createTenant(door)
    expect(await reasonOf(tenant, { 'consents.entries': [consent('terms')] })).toBe('consents_missing')
    expect(await reasonOf(tenant, { product_id: '20000000-0000-4000-8000-00000000ffff' })).toBe('invalid_product')
    expect(await reasonOf(tenant, { publisher_id: '10000000-0000-4000-8000-00000000ffff' })).toBe('publisher_mismatch')
    expect(await reasonOf(tenant, { 'product_data.loan_amount': 1 })).toBe('validation_error')
    expect(await reasonOf(tenant, { product_id: tenant.product(false).product_id })).toBe('invalid_product')
    expect(await reasonOf(tenant)).toBe('distributed')
    expect(await reasonOf(tenant)).toBe('customer_already_exists')
    expect(await reasonOf(tenant, abroad)).toBe('customer_already_exists')
  })

  it('the rejections of the semantic kind start no window either [open/semantic_refusals]', async () => {
    const tenant = await createTenant(door, { settings: { semantic_refusals: 'rejected_200' } })
    expect(await reasonOf(tenant, { 'consents.entries': [] })).toBe('consents_missing')
    expect(await reasonOf(tenant)).toBe('distributed')
  })

  it('letter case makes no other customer, neither of a lead nor of a refusal [2.4/email.address] [4.1/rule-2]', async () => {
    const tenant = await createTenant(door)
    expect(await reasonOf(tenant, {}, 'Ana@Example.com')).toBe('distributed')
    expect(await reasonOf(tenant, {}, 'aNA@eXAMPLE.COM')).toBe('customer_already_exists')
    expect(await reasonOf(tenant, abroad, 'EVA@example.com')).toBe('geographic_restriction')
    expect(await reasonOf(tenant, {}, 'eva@EXAMPLE.com')).toBe('duplicate_submission')
  })

  it('another product has customers of its own [2.12/customer_already_exists] [4.1/rule-2]', async () => {
    const tenant = await createTenant(door)
    const product_id = '20000000-0000-4000-8000-00000000000c'
    await tenant.change({ products: [{ product_id, name: 'Car loan' }] })
    expect(await reasonOf(tenant)).toBe('distributed')
    expect(await reasonOf(tenant, { product_id, ...abroad })).toBe('geographic_restriction')
    expect(await reasonOf(tenant, { product_id })).toBe('duplicate_submission')
    expect(await reasonOf(tenant, { product_id }, 'eva@example.com')).toBe('distributed')
  })

  it('one phone and one document under two addresses are two customers', async () => {
    const tenant = await createTenant(door)
    const same = {
      'customer.contact.phone': { number: '600123456' },
      'customer.personal_data.identification_number': '1Z',
    }
    expect(await reasonOf(tenant, { ...same, ...abroad }, 'a@example.com')).toBe('geographic_restriction')
    expect(await reasonOf(tenant, same, 'b@example.com')).toBe('distributed')
    expect(await reasonOf(tenant, same, 'c@example.com')).toBe('distributed')
  })
})
