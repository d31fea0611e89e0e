import { isUuid } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { createDemoTenant, createTenant, demoAccount } from './create-tenant.ts'

const make = (tenant: string, seed: string) => createTenant({ tenant, seed, created_at: noon, settings: {} })
type Made = Awaited<ReturnType<typeof make>>
const secretsOf = ({ publisher, advertisers }: Made) => [
  publisher.api_key,
  publisher.callback_secret,
  ...advertisers.flatMap(({ api_key, postback_secret }) => [api_key, postback_secret]),
]
const idsOf = ({ publisher, advertisers, products }: Made) => [
  publisher.publisher_id,
  ...advertisers.map(({ advertiser_id }) => advertiser_id),
  ...products.map(({ product_id }) => product_id),
]

describe('making a tenant', () => {
  it('gives equal ids, keys and secrets for an equal seed and name', async () => {
    expect(await make('qa', '7')).toEqual(await make('qa', '7'))
  })

  it.each([
    ['another seed', 'qa', '8'],
    ['another name', 'qb', '7'],
    ['a name and a seed that read alike together', 'a', '7/q'],
  ])('gives none of them for %s', async (_title, tenant, seed) => {
    const [one, other] = await Promise.all([make('qa', '7'), make(tenant, seed)])
    const all = [...idsOf(one), ...secretsOf(one)]
    expect([...idsOf(other), ...secretsOf(other)].filter(value => all.includes(value))).toEqual([])
  })

  it('gives every party its own id and key [5/issued_by]', async () => {
    const made = await make('qa', '7')
    expect(idsOf(made).every(isUuid)).toBe(true)
    expect(new Set(idsOf(made)).size).toBe(6)
    expect(new Set(secretsOf(made)).size).toBe(8)
    expect(made.publisher.callback_secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
  })

  it('makes keys that say they are of a sandbox, and of which scope [5/environments]', async () => {
    const { publisher, advertisers } = await make('qa', '7')
    expect(publisher.api_key).toMatch(/^sandbox_pub_[0-9a-f]{12}_[0-9a-f]{32}$/)
    for (const { api_key } of advertisers) expect(api_key).toMatch(/^sandbox_adv_[0-9a-f]{12}_[0-9a-f]{32}$/)
  })

  it('gives it three advertisers by priority, an active and an inactive product, and their criteria', async () => {
    const made = await make('qa', '7')
    expect(made.advertisers.map(({ priority }) => priority)).toEqual([1, 2, 3])
    expect(made.products.map(({ active }) => active)).toEqual([true, false])
    expect(made.products[0]?.criteria).toEqual({
      min_age: 18,
      max_age: 75,
      minimum_monthly_income: 600,
      countries: ['ES'],
      loan_amount: { min: 500, max: 75_000 },
      loan_term_months: { min: 3, max: 84 },
      occupations_excluded: ['unemployed'],
      fraud_ip_ranges: ['192.0.2.0/24'],
    })
  })

  it('shares no criteria between tenants', async () => {
    const [one, other] = await Promise.all([make('qa', '7'), make('qa', '7')])
    one.products[0]?.criteria.countries.push('PT')
    one.advertisers[0]?.criteria.loan_purposes_excluded.push('wedding')
    expect(other).toEqual(await make('qa', '7'))
  })
})

describe('the demo tenant', () => {
  it('has the documented ids and keys', async () => {
    const { tenant, publisher, advertisers, products } = await createDemoTenant(noon, {})
    expect(tenant).toBe('demo')
    expect(publisher).toMatchObject({ publisher_id: demoAccount.publisher_id, api_key: demoAccount.publisher_key })
    expect(products.map(({ product_id, active }) => [product_id, active])).toEqual([
      [demoAccount.active_product_id, true],
      [demoAccount.inactive_product_id, false],
    ])
    expect(advertisers.map(({ api_key }) => api_key)).toEqual(demoAccount.advertisers.map(({ api_key }) => api_key))
  })
})
