import { createMemoryStorage, type TenantRecord } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { fileOf, importFile, usedTenant } from './snapshot-file.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: a file is edited as its reader would.
type Edit = (file: any) => void

const foreignLead = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const tooLate = Date.UTC(10_000, 0)
const repeated = (count: number, value: unknown) => new Array(count).fill(value)

/** An edit of a file, and the fields that are wrong after it. */
const wrong: [field: string, edit: Edit][] = [
  // Times, durations and numbers.
  ['saved_at', file => Object.assign(file, { saved_at: '2026-01-31T09:30:60Z' })],
  ['saved_at', file => Object.assign(file, { saved_at: '9000-01-31T09:30:00Z' })],
  ['documents.clock.now', ({ documents }) => Object.assign(documents.clock, { now: 2 ** 53 - 1 })],
  ['documents.clock.now', ({ documents }) => Object.assign(documents.clock, { now: Date.UTC(1899, 11, 31) })],
  [
    'documents.clock.ahead_ms',
    ({ documents }) => Object.assign(documents, { clock: { mode: 'running', ahead_ms: 1e308 } }),
  ],
  [
    'documents.clock.ahead_ms',
    ({ documents }) => Object.assign(documents, { clock: { mode: 'running', ahead_ms: -1e15 } }),
  ],
  ['documents.ages.0.at', ({ documents }) => Object.assign(documents, { ages: [{ at: tooLate, ...noNewest }] })],
  [
    'documents.ages.0.newestRequest',
    ({ documents }) => Object.assign(documents, { ages: [{ at: 0, newest: {}, newestRequest: 2 ** 53 - 1 }] }),
  ],
  ['documents.faults.set', ({ documents }) => Object.assign(documents.faults, { set: 2 ** 53 - 1 })],
  ['documents.faults.faults.0.effect.delay', ({ documents: { faults } }) => delayed(faults.faults[0])],
  ['documents.faults.faults.0.fault_id', ({ documents: { faults } }) => setAt(faults.faults[0], 'fault_id', 'f99')],
  ['documents.faults.faults.0.acted', ({ documents: { faults } }) => setAt(faults.faults[0], 'acted', -1)],
  ['documents.inbox.status', ({ documents }) => Object.assign(documents, { inbox: { status: 99 } })],
  ['documents.coverage.outcome/new', ({ documents }) => setAt(documents.coverage, 'outcome/new', 1.5)],
  ['documents.coverage', ({ documents }) => setAt(documents, 'coverage', namedCounts(1_001))],
  [
    `documents.coverage.error/${'x'.repeat(101)}`,
    ({ documents }) => setAt(documents.coverage, `error/${'x'.repeat(101)}`, 1),
  ],
  ['leads.0.received_at', ({ leads }) => setAt(leads[0], 'received_at', tooLate)],
  ['leads.0.events.0.recorded_at', ({ leads }) => setAt(leads[0].events[0], 'recorded_at', 9e15)],
  ['leads.0.callbacks.0.due_at', ({ leads }) => setAt(leads[0].callbacks[0], 'due_at', tooLate)],
  ['leads.0.callbacks.0.due_at', ({ leads }) => setAt(leads[0].callbacks[0], 'due_at', undefined)],
  ['leads.0.callbacks.0.attempts.0.at', ({ leads }) => setAt(leads[0].callbacks[0].attempts[0], 'at', -9e15)],
  ['leads.0.callbacks.0.attempts.0.ms', ({ leads }) => setAt(leads[0].callbacks[0].attempts[0], 'ms', -1)],
  ['leads.0.callbacks.0.attempts.0.copies', ({ leads }) => setAt(leads[0].callbacks[0].attempts[0], 'copies', 101)],
  ['leads.0.callbacks.0.resent_after', ({ leads }) => setAt(leads[0].callbacks[0], 'resent_after', 2 ** 40)],
  ['customers.0.refused_at', ({ customers }) => setAt(customers[0], 'refused_at', 9e15)],
  ['reports.0.due_at', ({ reports }) => setAt(reports[0], 'due_at', 9e15)],
  ['inbox.0.received_at', ({ inbox }) => setAt(inbox[0], 'received_at', 9e15)],
  ['inbox.0.status', ({ inbox }) => setAt(inbox[0], 'status', 0)],
  ['requests.0.at', ({ requests }) => setAt(requests[0], 'at', 9e15)],
  ['requests.0.number', ({ requests }) => setAt(requests[0], 'number', 2 ** 53 - 1)],
  ['requests.1.number', ({ requests }) => setAt(requests[1], 'number', requests[0].number)],
  ['requests.0.status', ({ requests }) => setAt(requests[0], 'status', 1000)],
  ['chains.chain', file => Object.assign(file, { chains: { chain: 1 } })],
  [`chains.x ${'0'.repeat(16)}`, file => Object.assign(file, { chains: { [`x ${'0'.repeat(16)}`]: 2 ** 31 } })],

  // The account.
  ['tenant.advertisers.0.name', ({ tenant }) => setAt(tenant.advertisers[0], 'name', '')],
  ['tenant.advertisers.0.criteria.loan_amount', ({ tenant }) => reversed(tenant.advertisers[0].criteria.loan_amount)],
  ['tenant.products.0.criteria.fraud_ip_ranges.0', ({ tenant }) => networks(tenant.products[0], ['999.0.0.0/8'])],
  [
    'tenant.settings.callback_retries',
    ({ tenant }) => setAt(tenant.settings, 'callback_retries', repeated(51, 'PT1S')),
  ],
  ['tenant.settings.duplicate_window', ({ tenant }) => setAt(tenant.settings, 'duplicate_window', 'P9999D')],
  ['tenant.blacklist.0', ({ tenant }) => Object.assign(tenant, { blacklist: [{}] })],
  ['tenant.blacklist', ({ tenant }) => Object.assign(tenant, { blacklist: repeated(1_001, { email: 'a' }) })],
  ['tenant.advertisers', ({ tenant }) => Object.assign(tenant, { advertisers: manyOf(tenant.advertisers[0], 101) })],
  ['tenant.products', ({ tenant }) => Object.assign(tenant, { products: [] })],
  ['tenant.advertisers', ({ tenant }) => void tenant.advertisers.shift()],
  ['tenant.advertisers.3.advertiser_id', ({ tenant }) => void tenant.advertisers.push(tenant.advertisers[0])],
  ['tenant.publisher.callback_url', ({ tenant }) => setAt(tenant.publisher, 'callback_url', 'https://example.com/')],
  ['tenant.publisher.callback_url', ({ tenant }) => setAt(tenant.publisher, 'callback_url', 'javascript:alert(1)')],
  ['tenant.advertisers.0.backend_url', ({ tenant }) => setAt(tenant.advertisers[0], 'backend_url', 'http://10.0.0.1/')],

  // Identity.
  ['tenant.publisher.publisher_id', ({ tenant }) => setAt(tenant.publisher, 'publisher_id', foreignLead)],
  ['tenant.publisher.api_key', ({ tenant }) => setAt(tenant.publisher, 'api_key', '')],
  ['tenant.publisher.callback_secret', ({ tenant }) => setAt(tenant.publisher, 'callback_secret', 'whsec_bWluZQ==')],
  ['tenant.advertisers.0.api_key', ({ tenant }) => setAt(tenant.advertisers[0], 'api_key', 'live_adv_x_y')],
  ['tenant.advertisers.0.postback_secret', ({ tenant }) => setAt(tenant.advertisers[0], 'postback_secret', '')],
  ['tenant.tokens', ({ tenant }) => setAt(tenant, 'tokens', [{ role: 'write' }])],
  ['tenant.callback_hosts', ({ tenant }) => setAt(tenant, 'callback_hosts', ['example.com'])],
  ['leads.0.lead_id', ({ leads }) => setAt(leads[0], 'lead_id', foreignLead)],
  ['leads.1.lead_id', ({ leads }) => setAt(leads[1], 'lead_id', leads[0].lead_id)],
  ['leads.0.callbacks.0.callback_id', ({ leads }) => setAt(leads[0].callbacks[0], 'callback_id', leads[0].lead_id)],
  ['leads.0.callbacks.1.callback_id', ({ leads }) => void leads[0].callbacks.push(leads[0].callbacks[0])],
  ['customers.0.lead_id', ({ customers }) => setAt(customers[0], 'lead_id', foreignLead)],
  ['reports.0.lead_id', ({ reports }) => setAt(reports[0], 'lead_id', foreignLead)],
  ['reports.0.report_id', ({ reports }) => setAt(reports[0], 'report_id', `${foreignLead}/0`)],
  [
    'documents.ages.0.newest.lead_id',
    ({ documents }) => setAt(documents, 'ages', [{ at: 0, newest: { lead_id: foreignLead }, newestRequest: 0 }]),
  ],

  // Leads, and what belongs to them.
  ['leads.0.submission.customer', ({ leads }) => setAt(leads[0], 'submission', {})],
  ['leads.0.submission.product_data.loan_amount', ({ leads }) => amount(leads[0], '<script>')],
  ['leads.0.status', ({ leads }) => setAt(leads[0], 'status', 'sold')],
  ['leads.0.more', ({ leads }) => setAt(leads[0], 'more', 1)],
  ['leads.0.deliveries.0.redirect_url', ({ leads }) => setAt(leads[0].deliveries[0], 'redirect_url', 'https://x.y/')],
  ['leads.0.callbacks.0.url', ({ leads }) => setAt(leads[0].callbacks[0], 'url', 'http://127.0.0.1:22/')],
  ['leads.0.events.0.event', ({ leads }) => setAt(leads[0].events[0], 'event', 'other')],
  ['leads.0.events.1', ({ leads }) => void leads[0].events.push(leads[0].events[0])],
  ['leads.0.events.0.metadata.amount', ({ leads }) => setAt(leads[0].events[0], 'metadata', { amount: 'much' })],
  ['leads.0.trace', ({ leads }) => setAt(leads[0], 'trace', repeated(1_000, { check: 'a', verdict: 'passed' }))],
  ['leads.0.deliveries', ({ leads }) => setAt(leads[0], 'deliveries', repeated(101, leads[0].deliveries[0]))],
  ['leads.0.callbacks.0.attempts', ({ leads }) => setAt(leads[0].callbacks[0], 'attempts', repeated(30_000, 0))],
  ['customers.0.email', ({ customers }) => setAt(customers[0], 'email', 'UPPER@example.com')],
  ['customers.1', ({ customers }) => void customers.splice(1, 0, customers[0])],
  ['inbox.0.headers.cookie', ({ inbox }) => setAt(inbox[0], 'headers', { cookie: 'a' })],

  // Lists and values that are too long, which are not looked at.
  ['leads', file => Object.assign(file, { leads: repeated(200_000, 0) })],
  ['leads.0', ({ leads }) => setAt(leads[0], 'email', `${'a'.repeat(2 ** 22)}@example.com`)],
  ['leads.0', ({ leads }) => setAt(leads[0], 'submission', nested(1_000))],
  ['inbox', file => Object.assign(file, { inbox: repeated(20_000, 0) })],
  ['chains', file => Object.assign(file, { chains: Object.fromEntries(repeated(30_000, 0).map((_, n) => [n, 1])) })],
  ['more', file => Object.assign(file, { more: 1 })],
  ['leads', file => Object.assign(file, { leads: {} })],
  ['chains', file => Object.assign(file, { chains: [] })],
  ['tenant', file => Object.assign(file, { tenant: null })],
]

const namedCounts = (count: number) => Object.fromEntries(repeated(count, 1).map((one, n) => [`error/x${n}`, one]))
const noNewest = { newest: {}, newestRequest: 0 }
const setAt = (object: object, name: string, value: unknown) => void Object.assign(object, { [name]: value })
const delayed = (fault: object) => Object.assign(fault, { effect: { delay: 'PT1S' } })
const reversed = (band: object) => Object.assign(band, { min: 9, max: 1 })
const networks = ({ criteria }: { criteria: object }, fraud_ip_ranges: string[]) =>
  Object.assign(criteria, { fraud_ip_ranges })
const amount = ({ submission }: { submission: { product_data: object } }, loan_amount: unknown) =>
  Object.assign(submission.product_data, { loan_amount })
const manyOf = (party: object, count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...party, advertiser_id: `${foreignLead.slice(0, -3)}${100 + n}` }))
const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

inMemory('a snapshot file', adapter => {
  let tenant: Tenant
  it('that is edited is refused with the field that is wrong, and nothing is stored', async () => {
    tenant = await usedTenant(adapter)
    const file = await fileOf(tenant)
    const before = await tenant.client.snapshots.list()
    for (const [field, edit] of wrong) {
      const edited = structuredClone(file)
      edit(edited)
      const { status, json, text } = await importFile(tenant, edited)
      expect([field, status, text.length < 50_000]).toEqual([field, 400, true])
      expect(json.details.map((issue: { field: string }) => issue.field)).toContain(field)
    }
    expect(await tenant.client.snapshots.list()).toEqual(before)
  })

  it('without an edit is taken, indented or not, and is the same when it is exported again', async () => {
    const file = await fileOf(tenant)
    expect((await importFile(tenant, JSON.stringify(file, null, 2), 'again')).status).toBe(201)
    expect(await fileOf(tenant, 'again')).toEqual(file)
  })

  it('holds no key, no secret and no address of this machine', async () => {
    const { publisher, advertisers } = tenant.account
    const secrets = [publisher, ...advertisers].flatMap(party => Object.values(party).filter(isSecret))
    expect(secrets).toHaveLength(8)
    const text = JSON.stringify(await fileOf(tenant))
    for (const secret of secrets) expect(text).not.toContain(secret)
    expect(text).not.toContain(adapter.url)
  })

  describe('of 15 MB that is hostile', () => {
    const lists: [string, string][] = [
      ['a list of millions of objects', `{"leads":[${'{},'.repeat(5_000_000)}{}]}`],
      ['a number of millions of digits', `{"saved_at":${'1'.repeat(15_000_000)}}`],
      ['millions of unknown fields', `{${Array.from({ length: 1_000_000 }, (_, n) => `"f${n}":1`).join()}}`],
      ['millions of levels', `{"leads":[${'['.repeat(7_000_000)}${']'.repeat(7_000_000)}]}`],
    ]
    it.each(lists)('with %s is a 400', async (_, body) => {
      const { status, text } = await importFile(tenant, body)
      expect([status, text.length < 50_000]).toEqual([400, true])
    })
  })

  it('that is no JSON anywhere is refused as such', async () => {
    const text = JSON.stringify(await fileOf(tenant))
    const broken = ['', ' ', text.slice(0, -1), `${text}}`, text.replace('"leads":[', '"leads":[,'), `[${text}`]
    broken.push(text.replace('"leads":[', '"leads":[nul,'), text.replace('"inbox"', 'inbox'), text.replace(']', ',]'))
    broken.push(
      text.replace('"chains":{', '"chains":{"a" 1,'),
      text.replace('"saved_at":', '"saved_at":01,"saved_at":'),
    )
    for (const body of broken) {
      const { status, json } = await importFile(tenant, body)
      expect([body.slice(0, 40), status, json.error]).toEqual([body.slice(0, 40), 400, 'malformed_json'])
      expect(json.details).toEqual([{ field: 'body', issue: expect.stringMatching(/at line \d+, column \d+$/) }])
    }
  })

  it('says where it stops being JSON', async () => {
    const at = async (text: string, from: string, to: string) => {
      const body = text.replace(from, to)
      const { json } = await importFile(tenant, body)
      return [json.details?.[0]?.issue, body]
    }
    const text = JSON.stringify(await fileOf(tenant), null, 1)
    const [afterComma, one] = await at(text, '"leads": [', '"leads": [,')
    const [inWord, two] = await at(text, '"leads": [', '"leads": [nul,')
    const [inMember, three] = await at(text, '"chains": {', '"chains": {"ñ": tru,')
    const place = (body = '', found: string) => {
      const before = body.slice(0, body.indexOf(found) + found.length).split('\n')
      return `at line ${before.length}, column ${before.at(-1)?.length}`
    }
    expect(afterComma).toBe(`is not JSON: found "," ${place(one, '[,')}`)
    expect(inWord).toBe(`is not JSON: found "," ${place(two, '[nul,')}`)
    expect(inMember).toBe(`is not JSON: found "," ${place(three, 'tru,')}`)
  })
})

const isSecret = (value: unknown) => typeof value === 'string' && /^(sandbox_|whsec_|[0-9a-f]{32}$)/.test(value)

inMemory('a restored snapshot', adapter => {
  it('keeps the keys and secrets that the tenant has now, and those of another tenant are its own', async () => {
    const tenant = await createTenant(adapter)
    const added = { advertiser_id: foreignLead, name: 'Added' }
    await tenant.change({ advertisers: [added] })
    await tenant.client.snapshots.save('then')
    const advertiser_id = tenant.advertiser().advertiser_id
    await tenant.change({ advertisers: [{ advertiser_id, postback_secret: 'changed', name: 'Changed' }] })
    const keys = tenant.account
    const restored = await tenant.client.snapshots.restore('then')
    expect(restored.advertisers[0]).toEqual({
      ...keys.advertisers[0],
      name: expect.not.stringContaining('Changed'),
    })
    expect(restored.publisher).toEqual(keys.publisher)
    // One that a reset took away has the key again that it was added with.
    await tenant.control('POST', '/reset')
    expect((await tenant.client.snapshots.restore('then')).advertisers[3]).toEqual(keys.advertisers[3])
  })

  it('refuses the ids that another tenant was made with, and takes those that both added', async () => {
    const [one, other] = [await createTenant(adapter), await createTenant(adapter)]
    const added = { advertiser_id: foreignLead, name: 'Added' }
    await one.change({ advertisers: [added] })
    const file = await fileOf(one)
    await one.control('POST', '/reset')
    await other.change({ advertisers: [added] })
    expect((await importFile(one, file)).status).toBe(201)
    for (const id of [other.account.publisher.publisher_id, other.advertiser(1).advertiser_id]) {
      const edited = structuredClone(file)
      edited.tenant.advertisers[3].advertiser_id = id
      const { status, json } = await importFile(one, edited)
      expect([status, json.details[0].field]).toEqual([400, 'tenant.advertisers.3.advertiser_id'])
    }
  })

  it('leads to the addresses of the sandbox that it is in', async () => {
    const tenant = await usedTenant(adapter)
    const file = await fileOf(tenant)
    const lead = file.leads[0].lead_id
    const before = await tenant.lead(lead)
    await tenant.client.snapshots.restore((await importFile(tenant, file, 'again')).json.name)
    const { deliveries, callbacks } = await tenant.lead(lead)
    expect(deliveries[0].redirect_url).toBe(before.deliveries[0].redirect_url)
    expect(deliveries[0].redirect_url).toContain(adapter.url)
    expect(callbacks.map(({ url }: { url: string }) => url)).toEqual(
      before.callbacks.map(({ url }: { url: string }) => url),
    )
  })

  it('whose clock shows no time, from a version that checked no file, is refused and changes nothing', async () => {
    const storage = createMemoryStorage()
    const opened = await openMemoryAdapter({ storage })
    const tenant = await createTenant(opened, { name: 'team' })
    await tenant.submit()
    const record = (await storage.listTenants()).find(({ tenant }) => tenant === 'team')?.record as TenantRecord
    const clocks = [
      { mode: 'frozen', now: 2 ** 53 - 1 },
      { mode: 'running', ahead_ms: 1e308 },
    ] as const
    for (const clock of clocks)
      await storage.addSnapshot('team', { name: clock.mode, saved_at: 0, record }, to =>
        to.transact(tables => tables.writeDocument('clock', clock)),
      )
    const before = await tenant.wholeLeads()
    for (const { mode } of clocks) {
      const { status, json } = await tenant.control('POST', `/snapshots/${mode}/restore`)
      expect([status, json.details[0].field]).toEqual([400, 'name'])
    }
    expect(await tenant.wholeLeads()).toEqual(before)
    expect((await tenant.control('GET', '/clock')).json.mode).toBe('running')
    await opened.close()
  })
})
