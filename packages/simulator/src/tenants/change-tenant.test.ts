import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { type AccountChange, changeTenant } from './change-tenant.ts'
import { createTenant } from './create-tenant.ts'

/** No key is taken. */
const nobody = () => undefined
const made = await createTenant({ tenant: 'one', seed: '1', created_at: noon, settings: { gender: 'required' } })
const changed = async (change: AccountChange) => {
  const { record } = await changeTenant(made, change, nobody)
  if (!record) throw new Error('The change has issues.')
  return record
}
const [product, advertiser] = [made.products[0], made.advertisers[1]] as [
  (typeof made.products)[number],
  (typeof made.advertisers)[number],
]
const newId = '50000000-0000-4000-8000-000000000001'

describe('changing a tenant', () => {
  it('changes only the given fields', async () => {
    const record = await changed({ settings: { absent_fields: 'null' } })
    expect(record).toEqual({ ...made, settings: { gender: 'required', absent_fields: 'null' } })
  })

  it('does not mutate the given record', async () => {
    const before = structuredClone(made)
    await changed({
      products: [{ product_id: product.product_id, criteria: { min_age: 21 } }],
      blacklist: [{ email: 'a@b.es' }],
    })
    expect(made).toEqual(before)
  })

  it('merges a product by its id', async () => {
    const { products } = await changed({
      products: [{ product_id: product.product_id, active: false, criteria: { min_age: 21 } }],
    })
    expect(products).toEqual([
      { ...product, active: false, criteria: { ...product.criteria, min_age: 21 } },
      made.products[1],
    ])
  })

  it('merges an advertiser by its id and keeps its key', async () => {
    const { advertisers } = await changed({
      advertisers: [{ advertiser_id: advertiser.advertiser_id, priority: 9, criteria: { minimum_monthly_income: 1 } }],
    })
    expect(advertisers[1]).toEqual({
      ...advertiser,
      priority: 9,
      criteria: { ...advertiser.criteria, minimum_monthly_income: 1 },
    })
  })

  it('adds a product and an advertiser with a name and their own criteria', async () => {
    const record = await changed({
      products: [{ product_id: newId, name: 'Car loan' }],
      advertisers: [{ advertiser_id: newId, name: 'Dinero Duero' }],
    })
    expect(record.products[2]).toMatchObject({
      product_id: newId,
      name: 'Car loan',
      active: true,
      criteria: { min_age: 18 },
    })
    expect(record.advertisers[3]).toMatchObject({ advertiser_id: newId, name: 'Dinero Duero', priority: 4 })
    expect(record.advertisers[3]?.api_key).toMatch(/^sandbox_adv_/)
  })

  it('refuses an unknown party without a name, and then changes nothing', async () => {
    const change = {
      settings: { absent_fields: 'null' as const },
      products: [{ product_id: newId, active: false }],
      advertisers: [{ advertiser_id: advertiser.advertiser_id }, { advertiser_id: newId }],
    }
    const result = await changeTenant(made, change, nobody)
    expect(result.record).toBeUndefined()
    expect(result.issues?.map(({ field }) => field)).toEqual(['products.0.product_id', 'advertisers.1.advertiser_id'])
  })

  it('replaces the blacklist', async () => {
    const first = await changed({ blacklist: [{ email: 'a@b.es' }, { phone: '600' }] })
    const { record } = await changeTenant(first, { blacklist: [{ phone: '700' }] }, nobody)
    expect(record?.blacklist).toEqual([{ phone: '700' }])
  })

  it('sets the callback URL, and removes it with null', async () => {
    const set = await changed({ callback_url: 'http://127.0.0.1:1/cb' })
    expect(set.publisher.callback_url).toBe('http://127.0.0.1:1/cb')
    const { record } = await changeTenant(set, { callback_url: null }, nobody)
    expect(record?.publisher.callback_url).toBeUndefined()
  })
})
