import { describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'
import { createControlSubject } from './control-subject.fixture.ts'

const callback = { match: { operation: 'callback' }, effect: { drop: true } }
const submit = { match: { operation: 'submitLead' }, effect: { status: 503 } }
const far = ['+300000-01-01T00:00:00Z', '300000-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '9999-12-31T23:59:59-23:59']
const foreign = [
  'http://user:secret@127.0.0.1/cb',
  'http://user@localhost/cb',
  'http://example.com/cb',
  'javascript:alert(1)',
  '//127.0.0.1/cb',
  '',
  ' ',
]

const unknownId = '50000000-0000-4000-8000-00000000ffff'
/** A valid change, which must not be applied next to an invalid one. */
const change = { settings: { gender: 'required' } }
const registered = { event: 'registration', after: 'PT1M' }

/** A hundred new parties for an account. */
const many = (id: string) =>
  Array.from({ length: 100 }, (_, nth) => ({
    [id]: `60000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
    name: 'x',
  }))

/** Values of the right type that are invalid: where they go, what is sent, and the field that the error names. */
const wrongValues: readonly (readonly [method: string, path: string, body: object, field: string])[] = [
  ...[-1, 1.5, '1', null, 1e9].flatMap(
    times =>
      [
        ['POST', '/faults', { ...callback, times }, 'times'],
        ['POST', '/faults', { ...callback, after: times }, 'after'],
        ['PATCH', '/inbox', { status: 500, times }, 'times'],
      ] as const,
  ),
  ...[1.1, -0.1, '0.5', null].map(
    probability => ['POST', '/faults', { ...callback, probability }, 'probability'] as const,
  ),
  ['POST', '/faults', { ...callback, effect: { explode: true } }, 'explode'],
  ['POST', '/faults', { ...callback, effect: { drop: true, reorder: true } }, 'effect'],
  ['POST', '/faults', { ...callback, effect: {} }, 'effect'],
  ['POST', '/faults', { ...callback, effect: { retry_after: 1 } }, 'effect'],
  ['POST', '/faults', { ...callback, effect: { drop: false } }, 'effect.drop'],
  ...['timeout', 'reset', 'malformed', 'lost_reply'].map(
    name => ['POST', '/faults', { ...callback, effect: { [name]: true } }, `effect.${name}`] as const,
  ),
  ['POST', '/faults', { ...callback, effect: { latency_ms: 1 } }, 'effect.latency_ms'],
  ['POST', '/faults', { ...callback, effect: { status: 199 } }, 'effect.status'],
  ['POST', '/faults', { ...callback, effect: { status: 503, retry_after: 1 } }, 'effect.retry_after'],
  ['POST', '/faults', { ...callback, effect: { delay: 'soon' } }, 'effect.delay'],
  ['POST', '/faults', { ...callback, effect: { delay: 'P9999Y' } }, 'effect.delay'],
  ['POST', '/faults', { ...callback, effect: { delay: 'P3651D' } }, 'effect.delay'],
  ['POST', '/faults', { ...callback, effect: { duplicate: -1 } }, 'effect.duplicate'],
  ['POST', '/faults', { ...callback, effect: { duplicate: 101 } }, 'effect.duplicate'],
  ['POST', '/faults', { ...submit, effect: { drop: true } }, 'effect.drop'],
  ['POST', '/faults', { ...submit, effect: { delay: 'PT1S' } }, 'effect.delay'],
  ['POST', '/faults', { match: { operation: 'reportStatus' }, effect: { duplicate: 1 } }, 'effect.duplicate'],
  ['POST', '/faults', { match: { operation: 'reportEvent' }, effect: { reorder: true } }, 'effect.reorder'],
  ['POST', '/faults', { ...submit, effect: { timeout: false } }, 'effect.timeout'],
  ['POST', '/faults', { ...submit, effect: {} }, 'effect'],
  ['POST', '/faults', { ...submit, effect: { retry_after: 1 } }, 'effect'],
  ['POST', '/faults', { ...submit, effect: { status: 503, timeout: true } }, 'effect'],
  ['POST', '/faults', { ...submit, effect: 'timeout' }, 'effect'],
  ['POST', '/faults', { ...submit, effect: { colour: 'red' } }, 'effect.colour'],
  ['POST', '/faults', { ...submit, effect: { latency_ms: 10, retry_after: 1 } }, 'effect.retry_after'],
  ['POST', '/faults', { ...submit, effect: { status: 200 } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { status: 399 } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { status: 600 } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { status: '503' } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { latency_ms: -1 } }, 'effect.latency_ms'],
  ['POST', '/faults', { ...submit, effect: { latency_ms: 600_001 } }, 'effect.latency_ms'],
  ['POST', '/faults', { ...submit, match: { operation: 'nothing' } }, 'match.operation'],
  ['POST', '/faults', { ...submit, match: { operation: 'submitLead', email: 'x' } }, 'email'],
  ['POST', '/faults', { ...submit, match: { operation: 'submitLead', scenario: '' } }, 'match.scenario'],
  ['POST', '/faults', { effect: { drop: true } }, 'match'],
  ['POST', '/faults', { ...submit, match: {} }, 'match.operation'],
  ['POST', '/faults', { ...submit, fault_id: 'mine' }, 'fault_id'],
  ...[
    ...far,
    '9990-01-01T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2027-01-01T00:00:00',
    '2026-03-01T09:59:59.999Z',
    '2020-01-01T00:00:00Z',
    '2026-03-02',
    'now',
    '',
    1_800_000_000_000,
  ].map(set => ['POST', '/clock', { set }, 'set'] as const),
  ['POST', '/clock', { resume: 'yes' }, 'resume'],
  ['POST', '/clock', { rewind: true }, 'rewind'],
  ['POST', '/clock', {}, 'body'],
  ['POST', '/clock', { freeze: true, resume: true }, 'body'],
  ['POST', '/clock', { freeze: false }, 'freeze'],
  ...['P3651D', 'P99999999999999999999D', 'P1Y', 'P1M', '-PT1H', 'PT-1H', 'PT', '1h', '', 'PT1.5H30M', 3600, null].map(
    by => ['POST', '/clock/advance', { by }, 'by'] as const,
  ),
  ...[
    'yesterday',
    '',
    'P1M',
    '-PT1H',
    'P3651D',
    '2026-06-15',
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:60Z',
    '9999-12-31T23:59:59-23:59',
    0,
  ].map(since => ['POST', '/callbacks/recover', { since }, 'since'] as const),
  ...foreign.map(callback_url => ['PATCH', '', { callback_url, ...change }, 'callback_url'] as const),
  ...['', '.', '..', 'a/b', '../x', 'a\u0000', 'a b', 'é', '__proto__', '-x', 'x'.repeat(65), 'x'.repeat(10_000)].map(
    name => ['POST', '/snapshots', { name }, 'name'] as const,
  ),
  ['PATCH', '/inbox', {}, 'status'],
  ['PATCH', '/inbox', { times: 1 }, 'status'],
  ['PATCH', '/inbox', { status: 500, colour: 'red' }, 'colour'],
  ...[199, 600, 200.5, '500'].map(status => ['PATCH', '/inbox', { status }, 'status'] as const),
  ...(
    [
      [[{ event: 'nonsense', after: 'PT1M' }], '.0.event'],
      [[registered, { event: 'approved', after: 'soon' }], '.1.after'],
      [[{ event: 'approved', after: 'P1M' }], '.0.after'],
      [[{ event: 'approved', after: 'P3651D' }], '.0.after'],
      [[{ event: 'approved' }], '.0.after'],
      [registered, ''],
      [null, ''],
    ] as const
  ).map(([lifecycle, at]) => ['PATCH', '', { settings: { lifecycle } }, `settings.lifecycle${at}:`] as const),
  ['PATCH', '', { colour: 'red' }, 'colour'],
  ['PATCH', '', { settings: { status_methods: [] } }, 'settings.status_methods'],
  ['PATCH', '', { products: [{ product_id: unknownId }] }, 'products.0.product_id'],
  ['PATCH', '', { products: [{ product_id: 'x' }] }, 'products.0.product_id'],
  ...(
    [
      [{ min_height: 1 }, 'min_height'],
      [{ loan_amount: { min: 2, max: 1 } }, 'products.0.criteria.loan_amount'],
      [{ fraud_ip_ranges: ['1.2.3.4'] }, 'products.0.criteria.fraud_ip_ranges.0'],
    ] as const
  ).map(
    ([criteria, field]) =>
      ['PATCH', '', { products: [{ product_id: unknownId, name: 'x', criteria }], ...change }, field] as const,
  ),
  ['PATCH', '', { advertisers: [{ advertiser_id: unknownId }] }, 'advertisers.0.advertiser_id'],
  ['PATCH', '', { advertisers: [{ advertiser_id: unknownId, api_key: 'mine' }] }, 'api_key'],
  ['PATCH', '', { blacklist: [{}] }, 'blacklist.0'],
  ['PATCH', '', { blacklist: [{ mail: 'a@b.es' }] }, 'mail'],
  ['PATCH', '', { publisher: { colour: 'red' } }, 'publisher.colour'],
  ['PATCH', '', { settings: { callback_retries: Array(51).fill('PT1S') } }, 'settings.callback_retries'],
  ['PATCH', '', { settings: { callback_timeout: 'P2D' } }, 'settings.callback_timeout'],
  ['PATCH', '', { settings: { ['__proto__' as string]: 1, constructor: 1 } }, 'constructor'],
  ['PATCH', '', { blacklist: Array(1001).fill({ email: 'a@example.com' }) }, 'blacklist'],
  ['PATCH', '', { products: many('product_id') }, 'products'],
  ['PATCH', '', { advertisers: many('advertiser_id') }, 'advertisers'],
  ['POST', '/diagnose', { url: '' }, 'url'],
  ['POST', '/diagnose', { url: 'x'.repeat(8193) }, 'url'],
]

const wrongTenants: readonly (readonly [body: object, field: string])[] = [
  ...[
    '',
    '-',
    'a-',
    'A',
    'a_b',
    'a.b',
    'a/b',
    '..',
    'a\u0000',
    'é',
    '__proto__',
    'x'.repeat(64),
    'x'.repeat(10_000),
  ].map(name => [{ name }, 'name'] as const),
  ...[...far, '2026-02-30T00:00:00Z', '0000-01-01T00:00:00+23:59', 'now', 0].map(
    frozen_at => [{ frozen_at }, 'frozen_at'] as const,
  ),
  ...foreign.map(callback_url => [{ callback_url }, 'callback_url'] as const),
  [{ colour: 'red' }, 'colour'],
  [{ settings: { colour: 'red' } }, 'colour'],
  [{ settings: { gender: 'maybe' } }, 'settings.gender'],
  [{ settings: { duplicate_window: '60s' } }, 'settings.duplicate_window'],
  [{ settings: { callback_retries: ['PT5S', 'soon'] } }, 'settings.callback_retries.1'],
  [{ settings: { token_format: { hash: 'SHA-256' } } }, 'settings.token_format.joiner'],
  [{ profile: 'legal' }, 'profile'],
  ...['', 'x'.repeat(201), 1.5, 2 ** 60].map(seed => [{ seed }, 'seed'] as const),
]

/** Returns the fields in a 400, as one text. */
async function fieldsOf400(adapter: Adapter, method: string, path: string, body: object): Promise<string> {
  const { status, json } = await adapter.request(method, path, { body })
  expect([status, json.error]).toEqual([400, 'validation_error'])
  return json.details.map(({ field, issue }: Record<string, string>) => `${field}: ${issue}`).join('\n')
}

inMemory('invalid values', adapter => {
  it('cause a 400 that names the field, and do not change the tenant', async () => {
    const subject = await createControlSubject(adapter)
    const path = subject.path('showTenant')
    const before = await subject.state()
    for (const [method, below, body, field] of wrongValues)
      expect.soft(await fieldsOf400(adapter, method, path + below, body), JSON.stringify(body)).toContain(field)
    expect(await subject.state()).toEqual(before)
  })

  it('of a new tenant cause a 400 that names the field, and create none', async () => {
    const count = async () => (await adapter.request('GET', tenantsPath)).json.tenants.length
    const before = await count()
    for (const [body, field] of wrongTenants)
      expect.soft(await fieldsOf400(adapter, 'POST', tenantsPath, body), JSON.stringify(body)).toContain(field)
    expect(await count()).toBe(before)
  })

  describe('at the bounds', () => {
    it('are accepted', async () => {
      const subject = await createControlSubject(adapter)
      const { tenant } = subject
      const taken = [
        ['POST', '/faults', { ...callback, times: 0, after: 1_000_000, probability: 1 }],
        ['POST', '/snapshots', { name: `a${'._-'.repeat(21)}` }],
        ['POST', '/clock', { set: '2026-03-01T10:00:00+00:00' }],
        ['POST', '/clock/advance', { by: 'P3650D' }],
        ['PATCH', '/inbox', { status: 599, times: 1_000_000 }],
        ['POST', '/callbacks/recover', { since: 'P3650D' }],
        ['POST', '/callbacks/recover', { since: '0000-01-01T00:00:00+23:59' }],
        ['PATCH', '', { callback_url: 'http://[::1]:1/cb' }],
        ['PATCH', '', {}],
      ] as const
      for (const [method, path, body] of taken)
        expect.soft((await tenant.control(method, path, { body })).status, path).toBeLessThan(300)
    })
  })
})

const setting = (operation: string, effect: unknown, more: object = {}) => ({ match: { operation }, effect, ...more })

inMemory('a setting of a fault', adapter => {
  it('at the ends of its ranges is accepted and shown unchanged', () =>
    eachRow(
      [
        ['submitLead', { status: 400 }, { times: 0, after: 0, probability: 0 }],
        ['submitLead', { status: 599, retry_after: 0 }, { probability: 1 }],
        ['reportEvent', { latency_ms: 0 }, {}],
        ['callback', { status: 200 }, {}],
        ['callback', { duplicate: 100 }, { times: 1 }],
        ['callback', { delay: 'PT0S' }, {}],
      ],
      async (operation, effect, more) => {
        const tenant = await createTenant(adapter)
        const { status, json } = await tenant.control('POST', '/faults', { body: setting(operation, effect, more) })
        expect([status, json]).toEqual([
          201,
          {
            fault_id: 'f1',
            match: { operation },
            effect,
            ...more,
            matched: 0,
            acted: 0,
            state: expect.any(String),
            lets_through: 0,
          },
        ])
        expect((await tenant.control('GET', '/faults')).json.faults).toEqual([json])
      },
    ))
})
