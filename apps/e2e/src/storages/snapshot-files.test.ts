import { originHeader, originValue } from '@lead-distribution/simulator/origin'
import { describe, expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { fileOf, importFile } from '../scenarios/snapshot-file.fixture.ts'

const creation = { name: 'shop', seed: 'of the team', frozen_at: '2026-03-01T10:00:00Z' }

/** Everything that the control plane shows of a tenant with a frozen clock. Inbox entries are renumbered. */
async function whole(tenant: Tenant) {
  const paths = ['', '/leads', '/submissions', '/callbacks', '/inbox', '/clock', '/faults', '/requests', '/coverage']
  paths.push('/coverage?origin=console')
  const shown = await Promise.all(paths.map(async path => (await tenant.control('GET', path)).json))
  shown.push(await tenant.wholeLeads())
  return JSON.parse(JSON.stringify(shown, (key, value) => (key === 'entry_id' ? undefined : value)))
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** Texts that a storage or a shape might lose or refuse. */
const odd = [
  '\ud800',
  '\udfff x',
  'a\ud83d',
  '\0',
  '\ufffe',
  '\ufffe"x"',
  '\ufffd',
  '😀',
  ' ',
  '"\\',
  '__proto__',
  'x'.repeat(255),
]

interface OddUse {
  readonly title: string
  readonly creation?: object
  readonly use: (tenant: Tenant) => Promise<unknown>
}

/** Content that the API accepts: at the bounds, and odd. */
const oddUses: readonly OddUse[] = [
  {
    title: 'statuses of any kind',
    creation: { settings: { status_vocabulary: 'any', callback_retries: [] } },
    async use(tenant) {
      const lead = await tenant.distributedLead()
      for (const status of [...odd, '😀'.repeat(127), '\ud800'.repeat(255)])
        expect((await tenant.report(lead, { status })).status).toBe(200)
      const { status, json } = await tenant.report(lead, { status: 'x'.repeat(256) })
      expect([status, json.details]).toEqual([400, [{ field: 'status', issue: 'must be at most 255 characters long' }]])
      const { events, callbacks } = await tenant.lead(lead)
      expect(events.slice(0, odd.length).map(({ event }: { event: string }) => event)).toEqual(odd)
      expect(callbacks.slice(0, odd.length).map(({ event }: { event: string }) => event)).toEqual(odd)
      await tenant.settledCallbacks(lead)
    },
  },
  {
    title: 'events that the control plane triggers and invents',
    creation: { settings: { status_vocabulary: 'any', callback_retries: [], callback_signature: 'standard_webhooks' } },
    async use(tenant) {
      const lead = await tenant.distributedLead()
      for (const event of odd) {
        await tenant.client.leads.trigger(lead, { event, via: 'body' })
        const body = { lead_id: lead, event, repeat: 2, edit: { [event.slice(0, 100)]: event }, bad_signature: true }
        expect((await tenant.control('POST', '/callbacks', { body })).status).toBe(201)
      }
      await tenant.settledCallbacks(lead)
    },
  },
  {
    title: 'rejections without a lead, and requests from the console',
    creation: { settings: { semantic_refusals: 'rejected_200' } },
    async use(tenant) {
      const fromConsole = { [originHeader]: originValue('console') }
      const json = { 'content-type': 'application/json' }
      const again = tenant.body({}, 'Again@Example.com')
      for (const headers of [json, { ...json, ...fromConsole }]) await tenant.submitBody(again, headers)
      await tenant.submit({ 'consents.entries': [] }, `${'x'.repeat(60)}@${'y'.repeat(60)}.example`)
      const { submissions } = (await tenant.control('GET', '/submissions')).json
      expect(submissions.map(({ rejection_reason }: { rejection_reason?: string }) => rejection_reason)).toEqual([
        'consents_missing',
        'customer_already_exists',
        undefined,
      ])
    },
  },
  {
    title: 'figures and references at their bounds',
    async use(tenant) {
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'registration', `&ref=${'%F0%9F%98%80'.repeat(127)}`)
      await tenant.pixel(lead, 'approved', '&ref=%00%ED%A0%80')
      const metadata = { amount: -1e308, term_months: -(2 ** 53) + 1 }
      expect((await tenant.report(lead, { status: 'converted', metadata })).status).toBe(200)
      await tenant.settledCallbacks(lead)
    },
  },
  {
    title: 'leads of the maximum size, and odd ones',
    async use(tenant) {
      for (const text of odd)
        await tenant.submit({
          'customer.external_id': text,
          'customer.personal_data.identification_number': text,
          'customer.contact.phone': { area_code: text, number: text, [text]: text },
          'customer.address': { country: text },
          tracking: { click_id: text, sub_id: text },
        })
      const instruments = { 'customer.financial_instruments': Array.from({ length: 100 }, () => ({})) }
      const room = 262_000 - JSON.stringify(tenant.body(instruments)).length
      for (const text of ['x', '\u0001', '\ud800', 'ñ', '\\']) {
        const count = Math.floor(room / (Buffer.byteLength(JSON.stringify(text)) - 2))
        const lead = await tenant.submit({ ...instruments, 'customer.external_id': text.repeat(count) })
        expect([text, lead.status]).toEqual([text, 200])
      }
    },
  },
  {
    title: 'e-mail addresses',
    async use(tenant) {
      const addresses = [
        `${'a'.repeat(64)}@example.com`,
        'ANA@EXAMPLE.COM',
        "O'Hara!#$%&*+-/=?^_`{|}~@example.com",
        `NEW.Distributed+${'x'.repeat(30)}@Sandbox.Test`,
        `a@${'b'.repeat(60)}.example`,
      ]
      for (const address of addresses) await tenant.submit({}, address)
    },
  },
  {
    title: 'chains of scenarios',
    async use(tenant) {
      const submit = (count: number) =>
        tenant.submitBody(tenant.body(), { 'x-sandbox-scenario': Array(count).fill('http_500').join('.') })
      for (const count of [1, 2, 50, 111]) expect((await submit(count)).status).toBe(500)
      expect((await submit(112)).status).toBe(400)
    },
  },
  {
    title: 'nonsensical requests',
    async use(tenant) {
      const headers = {
        apikey: tenant.publisherKey,
        accept: 'a/b,'.repeat(50),
        'user-agent': 'x'.repeat(200),
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      }
      const call = (method: string, target: string, body?: object) =>
        tenant.adapter.request(method, target, { headers, ...(body && { body }) })
      await call('POST', '/api/v1/lead', { ['x'.repeat(60_000)]: 1, customr: { ['y'.repeat(2_000)]: 1 } })
      await call('POST', '/api/v1/lead', { customer: { personal_data: { frist_name: 'x' } } })
      await call('POST', '/api/v1/lead', tenant.body({ 'consents.entries': Array(100).fill({ type: 7, version: [] }) }))
      await call('PROPFIND', '/api/v1/lead')
      await call('DELETE', `/api/v1/lead/${tenant.product().product_id.toUpperCase()}/status`)
      await call('GET', `/api/v1/lead/${'x'.repeat(3_000)}/status?token=${'t'.repeat(3_000)}&event=approved`)
      await call('GET', `/api/v1/lead/x/status?${'a=1&'.repeat(500)}`)
      const inbox = `/_sandbox/inbox/${tenant.account.tenant}`
      await call('GET', `${inbox}?lead_id=${'%00'.repeat(300)}&event=%ED%A0%80`)
      await tenant.adapter.request('GET', `${inbox}?${'y'.repeat(1_000)}`, {
        headers: { 'webhook-id': 'x'.repeat(100), [`webhook-${'z'.repeat(300)}`]: '"\\' },
      })
    },
  },
  {
    title: 'an account at its bounds',
    async use(tenant) {
      const { product_id } = tenant.product()
      const settings = {
        callback_retries: Array(50).fill('P3650D'),
        duplicate_window: 'P3650D',
        token_format: { hash: 'SHA-512', joiner: '\ud800', encoding: 'base64url' },
      }
      const blacklist = odd.map(text => ({ phone: `${text}6`, identification_number: `${text}7` }))
      const callback_url = `http://127.0.0.1:9/${'x'.repeat(1_500)}?a=%00&b=é`
      const body = { callback_url, blacklist, settings, products: [{ product_id, name: '\ud800'.repeat(100) }] }
      expect((await tenant.control('PATCH', '', { body })).json).not.toHaveProperty('details')
      await tenant.distributedLead()
    },
  },
  {
    title: 'faults of every kind',
    async use(tenant) {
      const often = { times: 1_000_000, after: 1_000_000, probability: 1e-300 }
      for (const effect of [{ status: 599 }, { delay: 'P3650D' }, { timeout: true }, { reset: true }, { drop: true }])
        for (const operation of ['submitLead', 'reportStatus', 'reportEvent', 'callback'])
          await tenant.control('POST', '/faults', {
            body: { match: { operation, scenario: '\ud800'.repeat(200) }, effect, ...often },
          })
      await tenant.control('PATCH', '/inbox', { body: { status: 599, times: 1_000_000 } })
      expect((await tenant.control('GET', '/faults')).json.faults.length).toBeGreaterThan(4)
    },
  },
  { title: 'the earliest time', creation: { frozen_at: '1900-01-01T00:00:00Z' }, use: tenant => tenant.submit() },
  {
    title: 'the latest time, and what is due after it',
    creation: {
      settings: { callback_retries: ['P3650D'], lifecycle: [{ event: 'approved', after: 'P3650D' }] },
    },
    async use(tenant) {
      await tenant.control('PATCH', '/inbox', { body: { status: 500 } })
      const set = { set: '9989-12-31T23:59:59.999Z' }
      expect((await tenant.control('POST', '/clock', { body: set })).status).toBe(200)
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'registration')
      await expect.poll(async () => (await tenant.lead(lead)).callbacks[0]?.attempts.length).toBe(1)
    },
  },
  {
    title: 'a lead with large callbacks',
    async use(tenant) {
      const lead_id = await tenant.distributedLead()
      const edit = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`${nth}`, 'y'.repeat(500)]))
      const body = { lead_id, event: 'x', repeat: 100, edit }
      expect((await tenant.control('POST', '/callbacks', { body })).status).toBe(201)
      await tenant.settledCallbacks(lead_id)
    },
  },
]

/** Fills a tenant with some of everything. */
async function use(tenant: Tenant): Promise<string> {
  await tenant.change({ settings: { callback_retries: ['PT1H'], lifecycle: [{ event: 'approved', after: 'P1D' }] } })
  await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 2 } })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'registration')
  await expect.poll(async () => (await tenant.lead(lead)).callbacks[0]?.attempts.length).toBe(1)
  await tenant.report(lead, { status: 'converted', metadata: { amount: 900 } })
  await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 0 } }, 'poor@example.com')
  await tenant.submit({}, 'http_500.distributed+x@sandbox.test')
  await tenant.submitBody({})
  await tenant.control('POST', '/faults', {
    body: { match: { operation: 'submitLead' }, effect: { status: 503 }, after: 9 },
  })
  return lead
}

onEveryStorage('a snapshot as a file', adapter => {
  it('restores everything into a tenant of the same name and seed, and continues from there', async () => {
    const tenant = await createTenant(adapter, creation)
    const lead = await use(tenant)
    const before = await whole(tenant)
    await tenant.client.snapshots.save('then')
    const file = await tenant.client.snapshots.export('then')
    await tenant.client.delete()

    const again = await createTenant(adapter, creation)
    await again.submit({}, 'late@example.com')
    const imported = await again.client.snapshots.import('from-file', file)
    expect(imported).toEqual({ name: 'from-file', saved_at: JSON.parse(file.split('\n', 1)[0] ?? '').saved_at })
    await again.client.snapshots.restore('from-file')
    expect(await whole(again)).toEqual(before)
    expect(linesOf(await again.client.snapshots.export('from-file'))).toEqual(linesOf(file))
    // Claims hold, reported events are known, and due callbacks are sent.
    expect((await again.submit({}, 'customer-1@example.com')).json.rejection_reason).toBe('customer_already_exists')
    expect((await again.submit({}, 'poor@example.com')).json.rejection_reason).toBe('duplicate_submission')
    expect((await again.pixel(lead, 'registration')).json.status).toBe('ignored')
    expect((await again.submit({}, 'http_500.distributed+x@sandbox.test')).json.status).toBe('distributed')
    await again.client.clock.advance({ by: 'P2D' })
    expect((await again.lead(lead)).events.map(({ event }: { event: string }) => event)).toContain('approved')
    await again.client.delete()
  })

  it.each(oddUses)('restores $title', async ({ use, creation: more }) => {
    const tenant = await createTenant(adapter, { frozen_at: creation.frozen_at, ...more })
    await use(tenant)
    const before = await whole(tenant)
    await tenant.client.snapshots.save('then')
    const { status, text } = await tenant.control('GET', '/snapshots/then/file')
    expect(status).toBe(200)
    const imported = await importFile(tenant, text, 'again')
    expect([imported.status, imported.json.details]).toEqual([201, undefined])
    await tenant.client.snapshots.restore('again')
    expect(await fileOf(tenant, 'again')).toEqual(await fileOf(tenant, 'then'))
    expect(await whole(tenant)).toEqual(before)
  })

  it('is not saved if it is too large to be restored', async () => {
    const tenant = await createTenant(adapter)
    const lead_id = await tenant.distributedLead()
    await tenant.client.callbacks.hold()
    const edit = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`${nth}`, '\ud800'.repeat(500)]))
    await tenant.control('POST', '/callbacks', { body: { lead_id, event: 'x', repeat: 100, edit } })
    await tenant.control('POST', '/callbacks', { body: { lead_id, event: 'x', repeat: 100, edit } })
    await tenant.client.snapshots.save('then')
    const { status, json } = await tenant.control('GET', '/snapshots/then/file')
    expect([status, json.error, json.message]).toEqual([
      409,
      'too_many',
      expect.stringContaining('4 MiB for one record'),
    ])
  })

  describe('is refused', () => {
    it('by a tenant of another name or seed, with advice', async () => {
      const tenant = await createTenant(adapter, { seed: 'one' })
      await tenant.client.snapshots.save('then')
      const file = await tenant.client.snapshots.export('then')
      const other = await createTenant(adapter, { seed: 'one' })
      await expect(other.client.snapshots.import('then', file)).rejects.toMatchObject({
        status: 400,
        details: [
          {
            field: 'line 1: tenant.tenant',
            issue: expect.stringContaining('create a tenant with the name and the seed in it'),
          },
        ],
      })
      await tenant.client.delete()
      const reseeded = await createTenant(adapter, { name: tenant.account.tenant, seed: 'two' })
      await expect(reseeded.client.snapshots.import('then', file)).rejects.toMatchObject({
        details: [
          {
            field: 'line 1: tenant.seed',
            issue: expect.stringContaining('create a tenant with the name and the seed in it'),
          },
        ],
      })
      expect(await reseeded.client.snapshots.list()).toEqual({ snapshots: [] })
    })
  })
})
