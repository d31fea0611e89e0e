import { describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { tenantsPath } from '../adapters/tenant.ts'
import { createControlSubject } from './control-subject.fixture.ts'

const callback = { match: { operation: 'callback' }, effect: { drop: true } }
const submit = { match: { operation: 'submitLead' }, effect: { status: 503 } }
const far = ['+300000-01-01T00:00:00Z', '300000-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '9999-12-31T23:59:59-23:59']
const foreign = [
  'http://user:secret@127.0.0.1/cb',
  'http://user@localhost/cb',
  'http://example.com/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://localhost.evil.example/cb',
  'http://2130706434.evil.example/',
  'http://[::ffff:8.8.8.8]/cb',
  'http://134744072/cb',
  'http://0x08080808/cb',
  'http://0.0.0.0/cb',
  'javascript:alert(1)',
  'data:text/plain,x',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  '//127.0.0.1/cb',
  '',
  ' ',
]

/** A hundred parties that are not in an account yet. */
const many = (id: string) =>
  Array.from({ length: 100 }, (_, nth) => ({
    [id]: `60000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
    name: 'x',
  }))

/** Values that have the right kind and are wrong all the same: where they go, what is sent, and the field that is named. */
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
  ['POST', '/faults', { ...callback, effect: { timeout: true } }, 'effect.timeout'],
  ['POST', '/faults', { ...callback, effect: { delay: 'soon' } }, 'effect.delay'],
  ['POST', '/faults', { ...callback, effect: { delay: 'P9999Y' } }, 'effect.delay'],
  ['POST', '/faults', { ...callback, effect: { duplicate: -1 } }, 'effect.duplicate'],
  ['POST', '/faults', { ...submit, effect: { drop: true } }, 'effect.drop'],
  ['POST', '/faults', { ...submit, effect: { status: 200 } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { status: 600 } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { status: '503' } }, 'effect.status'],
  ['POST', '/faults', { ...submit, effect: { latency_ms: -1 } }, 'effect.latency_ms'],
  ['POST', '/faults', { ...submit, effect: { latency_ms: 1e9 } }, 'effect.latency_ms'],
  ['POST', '/faults', { ...submit, match: { operation: 'nothing' } }, 'match.operation'],
  ['POST', '/faults', { ...submit, match: { operation: 'submitLead', email: 'x' } }, 'email'],
  ['POST', '/faults', { ...submit, match: { operation: 'submitLead', scenario: '' } }, 'match.scenario'],
  ['POST', '/faults', { effect: { drop: true } }, 'match'],
  ...[...far, '2026-02-30T00:00:00Z', '2020-01-01T00:00:00Z', '2026-03-02', 'now', '', 0].map(
    set => ['POST', '/clock', { set }, 'set'] as const,
  ),
  ['POST', '/clock', {}, 'body'],
  ['POST', '/clock', { freeze: true, resume: true }, 'body'],
  ['POST', '/clock', { freeze: false }, 'freeze'],
  ...['P300000Y', 'P9000Y', '-PT1H', 'PT', '1h', '', 'PT1.5H30M', 3600].map(
    by => ['POST', '/clock/advance', { by }, 'by'] as const,
  ),
  ...['yesterday', '', '-PT1H', 'P9999Y', '2026-02-30T00:00:00Z', '9999-12-31T23:59:60Z', 0].map(
    since => ['POST', '/callbacks/recover', { since }, 'since'] as const,
  ),
  ...foreign.map(
    callback_url => ['PATCH', '', { callback_url, settings: { gender: 'required' } }, 'callback_url'] as const,
  ),
  ...['', '.', '..', 'a/b', '../x', 'a\u0000', 'a b', 'é', '__proto__', '-x', 'x'.repeat(65), 'x'.repeat(10_000)].map(
    name => ['POST', '/snapshots', { name }, 'name'] as const,
  ),
  ...[199, 600, 200.5, '500'].map(status => ['PATCH', '/inbox', { status }, 'status'] as const),
  ['PATCH', '', { settings: { lifecycle: [{ event: 'nonsense', after: 'PT1M' }] } }, 'settings.lifecycle.0.event'],
  ['PATCH', '', { settings: { lifecycle: [{ event: 'registration', after: '1m' }] } }, 'settings.lifecycle.0.after'],
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
  ...['', 'x'.repeat(201), 1.5, 2 ** 60].map(seed => [{ seed }, 'seed'] as const),
]

/** Answers the fields of a 400, as one text. */
async function fieldsOf400(adapter: Adapter, method: string, path: string, body: object): Promise<string> {
  const { status, json } = await adapter.request(method, path, { body })
  expect([status, json.error]).toEqual([400, 'validation_error'])
  return json.details.map(({ field, issue }: Record<string, string>) => `${field}: ${issue}`).join('\n')
}

inMemory('wrong values', adapter => {
  it('are a 400 that names the field, and change nothing of the tenant', async () => {
    const subject = await createControlSubject(adapter)
    const path = subject.path('showTenant')
    const before = await subject.state()
    for (const [method, below, body, field] of wrongValues)
      expect.soft(await fieldsOf400(adapter, method, path + below, body), JSON.stringify(body)).toContain(field)
    expect(await subject.state()).toEqual(before)
  })

  it('of a tenant that is to be made are a 400 that names the field, and make none', async () => {
    const count = async () => (await adapter.request('GET', tenantsPath)).json.tenants.length
    const before = await count()
    for (const [body, field] of wrongTenants)
      expect.soft(await fieldsOf400(adapter, 'POST', tenantsPath, body), JSON.stringify(body)).toContain(field)
    expect(await count()).toBe(before)
  })

  describe('that are just right', () => {
    it('are taken', async () => {
      const subject = await createControlSubject(adapter)
      const { tenant } = subject
      const taken = [
        ['POST', '/faults', { ...callback, times: 0, after: 1_000_000, probability: 1 }],
        ['POST', '/snapshots', { name: `a${'._-'.repeat(21)}` }],
        ['POST', '/clock', { set: '2026-03-01T10:00:00+00:00' }],
        ['POST', '/clock/advance', { by: 'P3650D' }],
        ['PATCH', '/inbox', { status: 599, times: 1_000_000 }],
        ['POST', '/callbacks/recover', { since: 'P3650D' }],
        ['PATCH', '', { callback_url: 'http://[::1]:1/cb' }],
        ['PATCH', '', {}],
      ] as const
      for (const [method, path, body] of taken)
        expect.soft((await tenant.control(method, path, { body })).status, path).toBeLessThan(300)
    })
  })
})
