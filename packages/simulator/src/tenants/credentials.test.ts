import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { createDemoTenant, createTenant } from './create-tenant.ts'
import { createKeyDirectory } from './credentials.ts'

const [one, other, demo] = await Promise.all([
  createTenant({ tenant: 'one', seed: '1', created_at: noon, settings: {} }),
  createTenant({ tenant: 'other', seed: '1', created_at: noon, settings: {} }),
  createDemoTenant(noon, {}),
])

describe('the key directory', () => {
  const keys = createKeyDirectory()
  for (const record of [one, other, demo]) keys.add(record)

  it.each([one, other, demo])(
    'knows the keys of $tenant with their scopes [5/scope]',
    ({ tenant, publisher, advertisers }) => {
      expect(keys.find(publisher.api_key)).toMatchObject({ tenant, scope: 'publisher' })
      for (const { api_key, advertiser_id } of advertisers)
        expect(keys.find(api_key)).toMatchObject({ tenant, scope: 'advertiser', advertiser_id })
    },
  )

  it.each([
    ['no key', ''],
    ['an underscore', '_'],
    ['only the public part', one.publisher.api_key.slice(0, -33)],
    ['the public part with an empty secret', one.publisher.api_key.slice(0, -32)],
    ['a secret that is cut short', one.publisher.api_key.slice(0, -1)],
    ['a secret with more after it', `${one.publisher.api_key}0`],
    ['the secret of another key', one.publisher.api_key.slice(0, -32) + other.publisher.api_key.slice(-32)],
    ['capital letters', one.publisher.api_key.toUpperCase()],
    ['two keys joined', `${one.publisher.api_key}, ${one.publisher.api_key}`],
    ['spaces around it', ` ${one.publisher.api_key} `],
    ['a key of production', one.publisher.api_key.replace('sandbox', 'live')],
    ['a name of every object', 'constructor_x'],
  ])('knows no holder of %s [5/missing_or_invalid_key]', (_title, key) => {
    expect(keys.find(key)).toBeUndefined()
  })

  it('forgets the keys of a tenant, and no other', () => {
    keys.remove(one)
    expect([one.publisher, ...one.advertisers].map(({ api_key }) => keys.find(api_key))).toEqual(
      Array(4).fill(undefined),
    )
    expect(keys.find(other.publisher.api_key)).toBeDefined()
    keys.add(one)
    expect(keys.find(one.publisher.api_key)).toBeDefined()
  })
})
