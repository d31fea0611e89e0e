import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { createMemoryStorage } from '@lead-distribution/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Adapter,
  type AdapterResponse,
  decodeResponse,
  encodeRequest,
  fetchStream,
  type RequestOptions,
} from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { type Changes, consent, createTenant, type Tenant } from '../adapters/tenant.ts'

/** Unique personal data and free texts. Wherever one appears, it came from a caller. */
export const marked = {
  email: 'planted.email@planted.example',
  first: 'Plantedfirst',
  last: 'Plantedlast',
  phone: '+34 611 777 888',
  document: 'PLANTED99887766X',
  iban: 'ES9121000418450200051332',
  street: 'Plantedstreet 7',
  token: 'plantedtoken0123456789',
  key: 'sandbox_pub_plantedkey_0123456789',
  text: 'planted free text',
  agent: 'planted-agent/1.0',
} as const

/** A complete customer, with every field marked. */
const person: Changes = {
  'customer.external_id': marked.text,
  'customer.personal_data': {
    first_name: marked.first,
    last_name: marked.last,
    second_surname: marked.last,
    birthday: '1980-01-02',
    identification_number: marked.document,
    gender: 'other',
  },
  'customer.contact.email.source': marked.text,
  'customer.contact.phone': { number: marked.phone, source: marked.text },
  'customer.address': { street: marked.street, house: marked.text, city: marked.text, postal_code: marked.text },
  'customer.financial_instruments': [{ type: 'bank_account', iban: marked.iban }],
  'consents.metadata': { ip_address: '203.0.113.7', user_agent: marked.agent, collected_at: '2026-01-31T09:30:00Z' },
  'consents.entries.2': { ...consent('marketing'), type: marked.text, version: marked.text },
  tracking: {
    click_id: marked.text,
    sub_id: marked.email,
    campaign_id: marked.text,
    source: 'https://planted.example/x',
  },
}

/** Changes that make a submission fail in every way. Invalid values are marked. */
const submissions: readonly Changes[] = [
  {},
  {},
  { 'customer.profile': { occupation: 'other', monthly_income: 0 } },
  { 'product_data.loan_purpose': marked.text, 'product_data.loan_amount': marked.text },
  { 'customer.contact.email.address': marked.text },
  { 'customer.personal_data.gender': marked.text, 'customer.personal_data.birthday': marked.document },
  { product_id: marked.text, publisher_id: marked.email },
  { product_id: '50000000-0000-4000-8000-00000000ffff' },
  { publisher_id: '50000000-0000-4000-8000-00000000ffff' },
  { 'consents.entries': [] },
  { 'consents.entries': [marked.text, { type: marked.text, accepted: marked.text }] },
  { [marked.text.replaceAll(' ', '_')]: marked.text },
  { customer: marked.email },
]

/** A session's traces: the tenant, its keys and tokens, and every error response. */
export interface MarkedSession {
  readonly tenant: Tenant
  readonly secrets: readonly string[]
  readonly errors: readonly AdapterResponse[]
}

/** Calls the service and the control plane in every way, with injected values wherever possible. */
export async function runMarkedSession(adapter: Adapter): Promise<MarkedSession> {
  const errors: AdapterResponse[] = []
  const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any', status_methods: ['POST'] } })
  const call: Call = async (method, target, options = {}) => {
    // A user agent names a program, so the journal stores it.
    const headers = { 'user-agent': 'check/1.0', 'x-planted': marked.text, ...options.headers }
    const response = await adapter.request(method, target, { ...options, headers }).catch(() => undefined)
    if (response && response.status >= 400) errors.push(response)
  }
  await submitLeads(tenant, call)
  const lead = await tenant.distributedLead(person)
  const token = new URLSearchParams((await tenant.postback(lead)).split('?')[1]).get('token') ?? ''
  await reportOn(lead, token, tenant, call)
  await useControlPlane(lead, tenant, call)
  const keys = [tenant.publisherKey, ...tenant.account.advertisers.map(({ api_key }) => api_key)]
  return { tenant, secrets: [...keys, token], errors }
}

type Call = (method: string, target: string, options?: RequestOptions) => Promise<void>

const json = { 'content-type': 'application/json' }

async function submitLeads(tenant: Tenant, call: Call): Promise<void> {
  const lead = (body: unknown, headers: Record<string, string> = {}, query = '') =>
    call('POST', `/api/v1/lead${query}`, { body, headers: { apikey: tenant.publisherKey, ...json, ...headers } })

  for (const changes of submissions) await lead(tenant.body({ ...person, ...changes }, marked.email))
  for (const scenario of ['new', 'blacklisted', 'http_401', 'http_422', 'http_500', 'http_503', 'lost_reply'])
    await lead(tenant.body(person, `${scenario}+planted@sandbox.test`))
  await lead(tenant.body(person), { 'x-sandbox-scenario': marked.text })
  await lead(`{"customer": "${marked.email}"`)
  await lead(`"${marked.text.padEnd(262_144, 'x')}"`)
  await lead(marked.email, { 'content-type': `text/${marked.token}` })
  await lead(marked.email, { 'content-encoding': marked.token })
  await lead(tenant.body(person), { apikey: marked.key })
  await lead(tenant.body(person), { apikey: tenant.advertiserKey() })
  await lead(tenant.body(person), {}, `?apikey=${tenant.publisherKey}&email=${marked.email}`)
  await call('GET', `/api/v1/lead?email=${marked.email}`)
  await call('GET', `/api/v1/${marked.email}/${marked.document}`)
}

async function reportOn(id: string, token: string, tenant: Tenant, call: Call): Promise<void> {
  const pixel = (at: string, query: Record<string, string>) =>
    call('GET', `/api/v1/lead/${encodeURIComponent(at)}/status?${new URLSearchParams(query)}`)
  await pixel(id, { token, event: 'approved', ref: marked.email, extra: marked.text })
  await pixel(id, { token, event: marked.text, ref: marked.text.repeat(500), [marked.document]: '1' })
  await pixel(id, { token: marked.token, event: 'approved', ref: marked.text })
  await pixel(marked.email, { token, event: 'approved', apikey: tenant.publisherKey })
  const report = (at: string, body: unknown, key = tenant.advertiserKey(), method = 'POST') =>
    call(method, `/api/v1/lead/${encodeURIComponent(at)}/status`, { body, headers: { apikey: key, ...json } })
  await report(id, { status: `${marked.text} of ${marked.email}`, metadata: { amount: 1, note: marked.text } })
  await report(id, { status: 'converted', advertiser_id: marked.email, metadata: { amount: marked.text } })
  await report(id, { status: '', metadata: marked.text })
  await report(marked.email, { status: marked.text })
  await report(id, { status: marked.text }, tenant.advertiserKey(1))
  await report(id, { status: marked.text }, tenant.publisherKey)
  await report(id, { status: marked.text }, tenant.advertiserKey(), 'PATCH')
}

async function useControlPlane(id: string, tenant: Tenant, call: Call): Promise<void> {
  const below = `/_sandbox/v1/tenants/${tenant.account.tenant}`
  const wrong: readonly (readonly [string, string, unknown?])[] = [
    ['POST', '/faults', { match: { operation: marked.text }, effect: { drop: marked.text }, times: marked.text }],
    ['POST', '/clock', { set: marked.text }],
    ['POST', '/clock/advance', { by: marked.text }],
    ['POST', '/callbacks/recover', { since: marked.email }],
    ['POST', '/snapshots', { name: marked.email }],
    ['POST', `/snapshots/${marked.email}/restore`],
    ['PATCH', '', { blacklist: [{ email: 1, phone: marked.text }], settings: { gender: marked.text } }],
    ['PATCH', '', { callback_url: `javascript:${marked.token}` }],
    ['PATCH', '/inbox', { status: marked.text }],
    ['POST', `/leads/${marked.email}/trigger`, { event: marked.text, via: marked.text }],
    ['POST', `/leads/${id}/trigger`, { event: marked.text, via: 'pixel' }],
    ['GET', `/leads?status=${marked.email}&limit=${marked.phone}`],
    ['GET', `/leads/${marked.email}`],
    ['GET', `/callbacks/${marked.document}`],
    ['GET', `/callbacks/wait?lead_id=${marked.email}`],
    ['GET', `/requests?lead_id=${marked.email}&operation=${marked.text}&status=${marked.iban}&before=${marked.text}`],
    ['DELETE', `/faults/${marked.email}`],
  ]
  for (const [method, path, body] of wrong)
    await call(method, below + path, { ...(body !== undefined && { body, headers: json }) })
  await call('GET', `/_sandbox/v1/tenants/${marked.email}`)
  await call('GET', `/_sandbox/advertiser/${marked.email}/${marked.document}`)
  await call('GET', `/_sandbox/${marked.email}`)
}

/** Returns a session's values that a text contains. */
export function leaksOf({ secrets }: MarkedSession, text: string): string[] {
  const found = [...text.matchAll(/.{0,60}(?:planted|611.?777.?888|9121000418450200051332).{0,40}/gi)].map(
    ([hit]) => hit,
  )
  return [...found, ...secrets.filter(secret => text.includes(secret))]
}

/** The parts of the control plane that show activity, except the leads themselves. */
const shownAt = ['/requests?limit=500', '/requests?status=4xx', '/coverage', '/faults', '/snapshots', '/clock']

inMemory('values that a session injected', adapter => {
  let session: MarkedSession
  beforeAll(async () => {
    session = await runMarkedSession(adapter)
  })

  it('is in no error body', () => {
    expect(new Set(session.errors.map(({ status }) => status))).toEqual(
      new Set([400, 401, 404, 405, 413, 415, 422, 500, 503]),
    )
    expect(session.errors.flatMap(({ text }) => leaksOf(session, text))).toEqual([])
  })

  it('is in no response to a foreign page', async () => {
    const headers = { origin: `https://${marked.token}.example`, 'x-planted': marked.text }
    const { status, text } = await adapter.request('GET', '/_sandbox/v1/tenants', { headers })
    expect([status, leaksOf(session, text)]).toEqual([403, []])
  })

  it('is in neither the journal, coverage, nor metrics', async () => {
    const { json } = await session.tenant.control('GET', '/requests?limit=500')
    expect(new Set(json.requests.map(({ status }: { status: number }) => status))).toEqual(
      new Set([0, 200, 400, 401, 404, 405, 413, 415, 422, 500, 503]),
    )
    const texts = await Promise.all(shownAt.map(async path => (await session.tenant.control('GET', path)).text))
    texts.push((await adapter.request('GET', '/_sandbox/metrics')).text)
    expect(texts.flatMap(text => leaksOf(session, text))).toEqual([])
  })
})

it("values from a request are in neither an internal error's report nor its 500", async () => {
  const storage = createMemoryStorage()
  const errors: unknown[] = []
  let full = false
  const adapter = await openMemoryAdapter({
    storage: {
      ...storage,
      of: tenant => ({
        ...storage.of(tenant),
        transact: work => (full ? Promise.reject(new Error('The disk is full.')) : storage.of(tenant).transact(work)),
      }),
    },
    onError: error => errors.push(error),
  })
  const tenant = await createTenant(adapter)
  full = true
  const reply = await tenant.submit({ 'customer.external_id': marked.text }, marked.email)
  const session = { tenant, secrets: [tenant.publisherKey], errors: [reply] }
  expect([reply.status, errors.length > 0]).toEqual([500, true])
  expect(leaksOf(session, reply.text + errors.map(error => inspect(error)).join())).toEqual([])
  await adapter.close()
})

describe('the stored response of a receiver', () => {
  const filler = 'x'.repeat(2_030)
  const customer = {
    'customer.external_id': '600',
    'customer.personal_data': {
      first_name: 'Ana',
      last_name: 'Anaya Núñez',
      identification_number: '12345678Z',
      gender: 'female',
    },
    'customer.contact.phone': { area_code: '+34', number: '600123456' },
    'customer.address': { street: 'Calle Mayor 1, 2º' },
  }

  it.each<[string, (secret: string) => string, string, Changes?]>([
    ['a value within another', () => 'ok ANAYA NÚÑEZ 600123456', 'ok *** ***'],
    ['values that overlap', () => 'ok Ana Anaya Núñez', 'ok ***', { 'customer.external_id': 'Ana Ana' }],
    ['percent encoding', () => 'n=Anaya%20N%C3%BA%c3%b1ez&s=Calle%20Mayor%201%2C%202%C2%BA', 'n=***&s=***'],
    ['form encoding', () => 'n=Anaya+N%C3%BA%C3%B1ez&t=%2B34600123456', 'n=***&t=***'],
    ['escapes of JSON', () => '{"n":"Anaya N\\u00fa\\u00F1ez"}', '{"n":"***"}'],
    ['entities of HTML', () => '<p>Anaya N&uacute;&ntilde;ez, Calle Mayor 1, 2&#186;</p>', '<p>***, ***</p>'],
    ['a number in groups', () => 'DNI 12.345.678-Z, tel. 600 12 34 56', 'DNI ***, tel. ***'],
    ['a secret', secret => `got ${secret} ${encodeURIComponent(secret)}`, 'got *** ***'],
    ['a secret at the cut', secret => `${filler} ${secret}`, `${filler} ***`],
    ['an address at the cut', () => `${filler} someone.else@example.com`, `${filler} ***`],
  ])('masks %s', async (_title, respond, kept, changes = {}) => {
    let text = ''
    const dialer = {
      get: async () => ({ status: 200, answer: { headers: { 'x-for': text }, text } }),
      post: async () => ({ status: 200 }),
      close: () => undefined,
    }
    const adapter = await openMemoryAdapter({ dialer })
    const tenant = await createTenant(adapter, { callback_url: 'http://127.0.0.1:9/cb' })
    text = respond(tenant.account.publisher.callback_secret)
    const lead = await tenant.distributedLead({ ...customer, ...changes })
    await tenant.pixel(lead, 'approved')
    const [{ callback_id }] = await tenant.settledCallbacks(lead)
    const { attempts } = (await tenant.control('GET', `/callbacks/${callback_id}`)).json
    expect(attempts[0].answer.text).toBe(kept)
    expect(attempts[0].answer.headers['x-for']).toBe(kept.slice(0, 200))
    await adapter.close()
  })
})

describe('values that a session injected into its own server', () => {
  const { start } = launcher()
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-redaction-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is in neither the request log nor the journal in its file', async () => {
    const data = join(folder, 'sandbox.db')
    const { child, exit, url } = await start('--data', data, '--log-level', 'debug')
    const adapter: Adapter = {
      url,
      async request(method, target, options = {}) {
        const { headers, body } = encodeRequest(options)
        const reply = await fetch(url + target, {
          method,
          headers,
          ...(body.byteLength > 0 && { body: new Uint8Array(body) }),
        })
        return decodeResponse(reply.status, Object.fromEntries(reply.headers), await reply.text())
      },
      stream: (target, headers) => fetchStream(`${url}${target}`, headers),
      close: async () => undefined,
    }
    const session = await runMarkedSession(adapter)
    child.kill('SIGTERM')
    const { code, stderr } = await exit
    expect(code).toBe(0)
    expect(stderr.split('\n').filter(line => line.includes('"request"')).length).toBeGreaterThan(50)
    expect(leaksOf(session, stderr)).toEqual([])
    const file = new DatabaseSync(data, { readOnly: true })
    const rows = ['requests', 'coverage'].map(table => file.prepare(`select * from ${table}`).all())
    file.close()
    expect(rows.map(({ length }) => length > 0)).toEqual([true, true])
    expect(leaksOf(session, JSON.stringify(rows))).toEqual([])
  })
})
