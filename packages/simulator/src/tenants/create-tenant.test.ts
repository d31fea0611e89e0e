import { isUuid } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { createDemoTenant, createTenant, demoAccount } from './create-tenant.ts'
import { createKeyDirectory } from './tenant-directory.ts'

const [one, other, demo] = await Promise.all([
  createTenant({ tenant: 'one', seed: '1', created_at: noon, settings: {} }),
  createTenant({ tenant: 'other', seed: '1', created_at: noon, settings: {} }),
  createDemoTenant(noon, { settings: {} }),
])

describe('the key directory', () => {
  const keys = createKeyDirectory()
  for (const record of [one, other, demo]) keys.add(record)

  it.each([one, other, demo])(
    'finds the keys of $tenant with their scopes [5/scope]',
    ({ tenant, publisher, advertisers }) => {
      expect(keys.find(publisher.api_key)).toMatchObject({ tenant, scope: 'publisher' })
      for (const { api_key, advertiser_id } of advertisers)
        expect(keys.find(api_key)).toMatchObject({ tenant, scope: 'advertiser', advertiser_id })
    },
  )

  it.each([
    ['no key', ''],
    ['only an underscore', '_'],
    ['only the public part', one.publisher.api_key.slice(0, -33)],
    ['the public part with an empty secret', one.publisher.api_key.slice(0, -32)],
    ['a truncated secret', one.publisher.api_key.slice(0, -1)],
    ['a secret with extra characters', `${one.publisher.api_key}0`],
    ['the secret of another key', one.publisher.api_key.slice(0, -32) + other.publisher.api_key.slice(-32)],
    ['capital letters', one.publisher.api_key.toUpperCase()],
    ['two keys joined', `${one.publisher.api_key}, ${one.publisher.api_key}`],
    ['spaces around it', ` ${one.publisher.api_key} `],
    ['a key of production', one.publisher.api_key.replace('sandbox', 'live')],
    ['a property name of every object', 'constructor_x'],
  ])('finds no holder of %s [5/missing_or_invalid_key]', (_title, key) => {
    expect(keys.find(key)).toBeUndefined()
  })

  it('removes only the keys of one tenant', () => {
    keys.remove(one)
    expect([one.publisher, ...one.advertisers].map(({ api_key }) => keys.find(api_key))).toEqual(
      Array(4).fill(undefined),
    )
    expect(keys.find(other.publisher.api_key)).toBeDefined()
    keys.add(one)
    expect(keys.find(one.publisher.api_key)).toBeDefined()
  })
})

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

describe('creating a tenant', () => {
  it('gives equal ids, keys and secrets for an equal seed and name', async () => {
    expect(await make('qa', '7')).toEqual(await make('qa', '7'))
  })

  it.each([
    ['another seed', 'qa', '8'],
    ['another name', 'qb', '7'],
    ['a name and a seed with the same concatenation', 'a', '7/q'],
  ])('gives different ones for %s', async (_title, tenant, seed) => {
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

  it('creates keys that contain `sandbox` and their scope [5/environments]', async () => {
    const { publisher, advertisers } = await make('qa', '7')
    expect(publisher.api_key).toMatch(/^sandbox_pub_[0-9a-f]{12}_[0-9a-f]{32}$/)
    for (const { api_key } of advertisers) expect(api_key).toMatch(/^sandbox_adv_[0-9a-f]{12}_[0-9a-f]{32}$/)
  })

  it('adds three advertisers by priority, and an active and an inactive product, with criteria', async () => {
    const made = await make('qa', '7')
    expect(made.advertisers.map(({ priority }) => priority)).toEqual([1, 2, 3])
    expect(made.products.map(({ active }) => active)).toEqual([true, false])
    expect(made.products[0]?.criteria).toMatchObject({
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
    const { tenant, publisher, advertisers, products } = await createDemoTenant(noon, { settings: {} })
    expect(tenant).toBe('demo')
    expect(publisher).toMatchObject({ publisher_id: demoAccount.publisher_id, api_key: demoAccount.publisher_key })
    expect(products.map(({ product_id, active }) => [product_id, active])).toEqual([
      [demoAccount.active_product_id, true],
      [demoAccount.inactive_product_id, false],
    ])
    expect(advertisers.map(({ api_key }) => api_key)).toEqual(demoAccount.advertisers.map(({ api_key }) => api_key))
  })
})
