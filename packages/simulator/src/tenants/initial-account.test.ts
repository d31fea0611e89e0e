import { describe, expect, it } from 'vitest'

import { type AccountChange, changeTenant } from './change-tenant.ts'
import { createDemoTenant, createTenant } from './create-tenant.ts'
import { decidingChange } from './initial-account.ts'

const newRecord = (tenant: string) => createTenant({ tenant, seed: tenant, created_at: 0, settings: {} })

async function changedRecord(record: Awaited<ReturnType<typeof newRecord>>, change: AccountChange) {
  const changed = await changeTenant(record, change, () => undefined)
  return changed.record ?? expect.fail(JSON.stringify(changed.issues))
}

const record = await newRecord('changed')
const product_id = record.products[0]?.product_id ?? ''
const advertiser_id = record.advertisers[0]?.advertiser_id ?? ''

describe('the change that makes a new tenant decide like an account', () => {
  it('is empty for a new tenant, and for changes that decide nothing', async () => {
    expect(decidingChange(record)).toEqual({})
    expect(decidingChange(await createDemoTenant(0, { settings: {} }))).toEqual({})
    const renamed = await changedRecord(record, {
      products: [{ product_id, name: 'Car loan' }],
      advertisers: [{ advertiser_id, backend_url: 'http://127.0.0.1:3000' }],
    })
    expect(decidingChange(renamed)).toEqual({})
  })

  it.each<[string, AccountChange, string[]]>([
    ['criteria', { products: [{ product_id, criteria: { min_age: 21 } }] }, ['products']],
    ['an inactive product', { products: [{ product_id, active: false }] }, ['products']],
    ['a removed product', { remove: [product_id] }, ['products']],
    [
      "an advertiser's criteria",
      { advertisers: [{ advertiser_id, criteria: { minimum_monthly_income: 1 } }] },
      ['advertisers'],
    ],
    ['a priority', { advertisers: [{ advertiser_id, priority: 9 }] }, ['advertisers']],
    ['a removed advertiser', { remove: [advertiser_id] }, ['advertisers']],
    ['an empty blacklist', { blacklist: [] }, ['blacklist']],
    ['a longer blacklist', { blacklist: [...record.blacklist, { phone: '600000000' }] }, ['blacklist']],
  ])('has only the lists that differ, without keys: %s', async (_title, change, lists) => {
    const changed = await changedRecord(record, change)
    const deciding = decidingChange(changed)
    expect(Object.keys(deciding)).toEqual(lists)
    expect(JSON.stringify(deciding)).not.toMatch(/api_key|secret/)
    const other = await newRecord('other')
    const remove = [
      ...(deciding.products ? other.products.map(product => product.product_id) : []),
      ...(deciding.advertisers ? other.advertisers.map(advertiser => advertiser.advertiser_id) : []),
    ]
    const alike = await changedRecord(other, { ...deciding, remove })
    expect(decidingChange(alike)).toEqual(deciding)
    expect(alike.products.map(({ criteria }) => criteria)).toEqual(changed.products.map(({ criteria }) => criteria))
    expect(alike.advertisers.map(({ criteria }) => criteria)).toEqual(
      changed.advertisers.map(({ criteria }) => criteria),
    )
  })

  it('ignores the order in which a database returns fields', () => {
    const [first, ...others] = structuredClone(record.products)
    if (!first) return expect.fail('There is no product.')
    const { min, max } = first.criteria.loan_amount
    first.criteria.loan_amount = { max, min }
    expect(decidingChange({ ...record, products: [first, ...others] })).toEqual({})
  })
})
