import { createMemoryStorage, type TenantRecord } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { fileOf, fileText, importFile, usedTenant } from './snapshot-file.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests edit a file as its users would.
type Edit = (file: any) => void

const foreignLead = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const tooLate = Date.UTC(10_000, 0)
const repeated = (count: number, value: unknown) => new Array(count).fill(value)

/** An edit of a file, and the fields that it makes invalid. */
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
  ['lead.received_at', ({ leads }) => setAt(leads[0], 'received_at', tooLate)],
  ['event.recorded_at', ({ events }) => setAt(events[0], 'recorded_at', 9e15)],
  ['callback.due_at', ({ callbacks }) => setAt(callbacks[0], 'due_at', tooLate)],
  ['callback.due_at', ({ callbacks }) => setAt(callbacks[0], 'due_at', undefined)],
  ['callback.attempts.0.at', ({ callbacks }) => setAt(callbacks[0].attempts[0], 'at', -9e15)],
  ['callback.attempts.0.ms', ({ callbacks }) => setAt(callbacks[0].attempts[0], 'ms', -1)],
  ['callback.attempts.0.copies', ({ callbacks }) => setAt(callbacks[0].attempts[0], 'copies', 101)],
  ['callback.resent_after', ({ callbacks }) => setAt(callbacks[0], 'resent_after', 2 ** 40)],
  ['customer.refused_at', ({ customers }) => setAt(customers[0], 'refused_at', 9e15)],
  ['report.due_at', ({ reports }) => setAt(reports[0], 'due_at', 9e15)],
  ['inbox.received_at', ({ inbox }) => setAt(inbox[0], 'received_at', 9e15)],
  ['inbox.status', ({ inbox }) => setAt(inbox[0], 'status', 0)],
  ['request.at', ({ requests }) => setAt(requests[0], 'at', 9e15)],
  ['request.number', ({ requests }) => setAt(requests[0], 'number', 2 ** 53 - 1)],
  ['request.number', ({ requests }) => setAt(requests[1], 'number', requests[0].number)],
  ['request.status', ({ requests }) => setAt(requests[0], 'status', 1000)],
  ['chain.key', file => Object.assign(file, { chains: [{ key: 'chain', applied: 1 }] })],
  ['chain.applied', file => Object.assign(file, { chains: [{ key: `x ${'0'.repeat(16)}`, applied: 2 ** 31 }] })],

  // References to records that are not on an earlier line.
  ['event.lead_id', file => Object.assign(file, { leads: [] })],
  ['callback.lead_id', ({ callbacks }) => setAt(callbacks[0], 'lead_id', foreignLead)],
  ['lead.__proto__', ({ leads }) => void Object.defineProperty(leads[0], '__proto__', { value: {}, enumerable: true })],

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
  ['lead.lead_id', ({ leads }) => setAt(leads[0], 'lead_id', foreignLead)],
  ['lead.lead_id', ({ leads }) => setAt(leads[1], 'lead_id', leads[0].lead_id)],
  ['callback.callback_id', ({ leads, callbacks }) => setAt(callbacks[0], 'callback_id', leads[0].lead_id)],
  ['callback.callback_id', ({ callbacks }) => void callbacks.push(callbacks[0])],
  ['customer.lead_id', ({ customers }) => setAt(customers[0], 'lead_id', foreignLead)],
  ['report.lead_id', ({ reports }) => void reports.push({ ...reports[0], ...foreignReport })],
  ['report.report_id', ({ reports }) => setAt(reports[0], 'report_id', `${foreignLead}/0`)],
  [
    'documents.ages.0.newest.lead_id',
    ({ documents }) => setAt(documents, 'ages', [{ at: 0, newest: { lead_id: foreignLead }, newestRequest: 0 }]),
  ],

  // Leads, and their related records.
  ['lead.submission.customer', ({ leads }) => setAt(leads[0], 'submission', {})],
  ['lead.submission.product_data.loan_amount', ({ leads }) => amount(leads[0], '<script>')],
  ['lead.status', ({ leads }) => setAt(leads[0], 'status', 'sold')],
  ['lead.more', ({ leads }) => setAt(leads[0], 'more', 1)],
  ['lead.deliveries.0.redirect_url', ({ leads }) => setAt(leads[0].deliveries[0], 'redirect_url', 'https://x.y/')],
  ['callback.url', ({ callbacks }) => setAt(callbacks[0], 'url', 'http://127.0.0.1:22/')],
  ['event.event', ({ events }) => setAt(events[0], 'event', 'other')],
  ['event.event', ({ events }) => void events.push(events[0])],
  ['event.metadata.amount', ({ events }) => setAt(events[0], 'metadata', { amount: 'much' })],
  ['lead.trace', ({ leads }) => setAt(leads[0], 'trace', repeated(1_000, { check: 'a', verdict: 'passed' }))],
  ['lead.deliveries', ({ leads }) => setAt(leads[0], 'deliveries', repeated(101, leads[0].deliveries[0]))],
  ['callback.attempts', ({ callbacks }) => setAt(callbacks[0], 'attempts', repeated(30_000, 0))],
  ['customer.email', ({ customers }) => setAt(customers[0], 'email', 'UPPER@example.com')],
  ['customer.email', ({ customers }) => void customers.splice(1, 0, customers[0])],
  ['inbox.headers.cookie', ({ inbox }) => setAt(inbox[0], 'headers', { cookie: 'a' })],

  // Lists and values that are too long, and therefore not checked further.
  ['lead', file => Object.assign(file, { leads: repeated(200_000, 0) })],
  ['', ({ leads }) => setAt(leads[0], 'email', `${'a'.repeat(2 ** 22)}@example.com`)],
  ['', ({ leads }) => setAt(leads[0], 'submission', nested(1_000))],
  ['inbox', file => Object.assign(file, { inbox: repeated(20_000, file.inbox[0]) })],
  ['chain', file => Object.assign(file, { chains: repeated(30_000, 0) })],
  ['more', file => Object.assign(file, { more: 1 })],
  ['lead.lead_id', file => Object.assign(file, { leads: {} })],
  ['tenant', file => Object.assign(file, { tenant: null })],
]

const foreignReport = { lead_id: foreignLead, report_id: `${foreignLead}/0` }
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
  it("with an invalid edit is refused with the field's name, and nothing is stored", async () => {
    tenant = await usedTenant(adapter)
    const file = await fileOf(tenant)
    const before = await tenant.client.snapshots.list()
    for (const [field, edit] of wrong) {
      const edited = structuredClone(file)
      edit(edited)
      const { status, json, text } = await importFile(tenant, edited)
      expect([field, status, text.length < 50_000]).toEqual([field, 400, true])
      expect(json.details.map((issue: { field: string }) => issue.field.replace(/^line \d+(: )?/, ''))).toContain(field)
    }
    expect(await tenant.client.snapshots.list()).toEqual(before)
  })

  it('without an edit is accepted with any line ending, and is the same when exported again', async () => {
    const text = await fileText(tenant)
    expect((await importFile(tenant, text, 'again')).status).toBe(201)
    expect(await fileOf(tenant, 'again')).toEqual(await fileOf(tenant, 'now'))
    for (const same of [`\ufeff${text}`, text.trimEnd(), text.replaceAll('\n', '\r\n')])
      expect((await importFile(tenant, same, 'again')).status).toBe(201)
    expect(await fileOf(tenant, 'again')).toEqual(await fileOf(tenant, 'now'))
  })

  it('contains no key, no secret and no address of this machine', async () => {
    const { publisher, advertisers } = tenant.account
    const secrets = [publisher, ...advertisers].flatMap(party => Object.values(party).filter(isSecret))
    expect(secrets).toHaveLength(8)
    const text = await fileText(tenant)
    for (const secret of secrets) expect(text).not.toContain(secret)
    expect(text).not.toContain(adapter.url)
  })

  describe('of 15 MB with hostile content', () => {
    const texts: [string, (head: string) => string][] = [
      ['a line of millions of objects', head => `${head}{"lead":[${'{},'.repeat(5_000_000)}{}]}`],
      ['a number of millions of digits', head => `${head}{"lead":${'1'.repeat(15_000_000)}}`],
      ['millions of unknown fields', () => `{${Array.from({ length: 1_000_000 }, (_, n) => `"f${n}":1`).join()}}`],
      ['millions of levels', head => `${head}{"lead":${'['.repeat(7_000_000)}${']'.repeat(7_000_000)}}`],
      ['millions of levels on short lines', head => head + `{"lead":${'['.repeat(2_000_000)}\n`.repeat(7)],
      ['millions of empty objects', head => head + '{}\n'.repeat(5_000_000)],
      ['millions of numbers', head => head + '{"lead":1}\n'.repeat(1_300_000)],
    ]
    it.each(texts)('with %s is a 400', async (_, write) => {
      const head = (await fileText(tenant)).split('\n', 1)[0]
      const { status, text } = await importFile(tenant, write(`${head}\n`))
      expect([status, text.length < 50_000]).toEqual([400, true])
    })
  })

  it('that is truncated, miscounts, or continues after its end is refused with the line', async () => {
    const text = await fileText(tenant)
    const lines = text.trimEnd().split('\n')
    const last = lines.length
    const wrongLine = async (...edited: string[]) => {
      const { status, json } = await importFile(tenant, edited.join('\n'))
      expect([status, json.error]).toEqual([400, 'validation_error'])
      return json.details[0].field
    }
    for (const kept of [1, 2, last - 1]) expect(await wrongLine(...lines.slice(0, kept))).toBe(`line ${kept + 1}`)
    expect(await wrongLine(...lines.slice(0, 3), ...lines.slice(4))).toMatch(/^line \d+: /)
    expect(await wrongLine(...lines.slice(0, -1), '{"records":1}')).toBe(`line ${last}: records`)
    expect(await wrongLine(...lines, lines[1] ?? '')).toBe(`line ${last + 1}`)
    expect(await wrongLine(...lines, lines.at(-1) ?? '')).toBe(`line ${last + 1}`)
    for (const line of ['{}', '[]', '1', 'null', '{"__proto__":{}}', '{"constructor":{}}', '{"lead":{},"event":{}}'])
      expect(await wrongLine(lines[0] ?? '', line, ...lines.slice(1))).toBe('line 2')
    expect(await wrongLine(...lines.slice(1))).toMatch(/^line 1: /)
    expect(await wrongLine(lines[0] ?? '', ...lines)).toBe('line 2')
  })

  it('of the earlier format is refused, indented or not, with advice', async () => {
    const { leads, ...head } = await fileOf(tenant)
    const earlier = { ...head, format: 'lead-sandbox-snapshot/1', leads }
    for (const text of [JSON.stringify(earlier), JSON.stringify(earlier, null, 2)]) {
      const { status, json } = await importFile(tenant, text)
      expect([status, json.details]).toEqual([
        400,
        [{ field: 'line 1: format', issue: expect.stringContaining('export the snapshot again') }],
      ])
    }
  })

  it('of another media type is a 415', async () => {
    const body = await fileText(tenant)
    const headers = { 'content-type': 'application/json' }
    expect((await tenant.control('POST', '/snapshots/other/file', { headers, body })).status).toBe(415)
  })

  it('with malformed JSON anywhere is refused with its position', async () => {
    const text = await fileText(tenant)
    const lines = text.split('\n')
    const broken: [string | Uint8Array, string][] = [
      ['', 'line 1, column 1'],
      [text.slice(0, 40), 'line 1, column 41'],
      [text.slice(0, -3), `line ${lines.length - 1}, column `],
      [text.replace('\n', '\n\n'), 'line 2, column 1'],
      [text.replace('{"lead":{', '{"lead":{,'), 'column 10'],
      [text.replace('{"lead":', '{"lead":01'), 'column 10'],
      [text.replace('\n', '\n{lead}\n'), 'line 2, column 2'],
      [Buffer.concat([Buffer.from(`${lines[0]}\n{"lead":"`), Buffer.of(0xff)]), 'line 2, column 10'],
    ]
    for (const [body, place] of broken) {
      const { status, json } = await importFile(tenant, body)
      expect([place, status, json.error]).toEqual([place, 400, 'malformed_json'])
      expect(json.details).toEqual([{ field: 'body', issue: expect.stringContaining(place) }])
    }
  })
})

const isSecret = (value: unknown) => typeof value === 'string' && /^(sandbox_|whsec_|[0-9a-f]{32}$)/.test(value)

inMemory('a restored snapshot', adapter => {
  it("keeps the tenant's current keys and secrets, and gives another tenant its own", async () => {
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
    // An advertiser removed by a reset gets its original key back.
    await tenant.control('POST', '/reset')
    expect((await tenant.client.snapshots.restore('then')).advertisers[3]).toEqual(keys.advertisers[3])
  })

  it('refuses ids that another tenant was created with, and accepts ids that both added', async () => {
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
      expect([status, json.details[0].field]).toEqual([400, 'line 1: tenant.advertisers.3.advertiser_id'])
    }
  })

  it('uses the addresses of the sandbox it is restored in', async () => {
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

  it('with an invalid clock, from a version that did not check files, is refused and changes nothing', async () => {
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
