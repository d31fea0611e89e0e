import type { Adapter, AdapterResponse, RequestOptions } from '../adapters/adapter.ts'
import { type Changes, consent } from '../adapters/submission.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** Personal data and free texts that are like nothing else; wherever one of them is found, it came from a caller. */
export const planted = {
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

/** The whole of a customer, each field of it planted. */
const person: Changes = {
  'customer.external_id': planted.text,
  'customer.personal_data': {
    first_name: planted.first,
    last_name: planted.last,
    second_surname: planted.last,
    birthday: '1980-01-02',
    identification_number: planted.document,
    gender: 'other',
  },
  'customer.contact.email.source': planted.text,
  'customer.contact.phone': { number: planted.phone, source: planted.text },
  'customer.address': { street: planted.street, house: planted.text, city: planted.text, postal_code: planted.text },
  'customer.financial_instruments': [{ type: 'bank_account', iban: planted.iban }],
  'consents.metadata': { ip_address: '203.0.113.7', user_agent: planted.agent, collected_at: '2026-01-31T09:30:00Z' },
  'consents.entries.2': { ...consent('marketing'), type: planted.text, version: planted.text },
  tracking: {
    click_id: planted.text,
    sub_id: planted.email,
    campaign_id: planted.text,
    source: 'https://planted.example/x',
  },
}

/** What makes a submission fail in each of its ways; wrong values are planted. */
const submissions: readonly Changes[] = [
  {},
  {},
  { 'customer.profile': { occupation: 'other', monthly_income: 0 } },
  { 'product_data.loan_purpose': planted.text, 'product_data.loan_amount': planted.text },
  { 'customer.contact.email.address': planted.text },
  { 'customer.personal_data.gender': planted.text, 'customer.personal_data.birthday': planted.document },
  { product_id: planted.text, publisher_id: planted.email },
  { product_id: '50000000-0000-4000-8000-00000000ffff' },
  { publisher_id: '50000000-0000-4000-8000-00000000ffff' },
  { 'consents.entries': [] },
  { 'consents.entries': [planted.text, { type: planted.text, accepted: planted.text }] },
  { [planted.text.replaceAll(' ', '_')]: planted.text },
  { customer: planted.email },
]

/** What a session leaves: the tenant, the keys and tokens that it used, and every reply of an error. */
export interface PlantedSession {
  readonly tenant: Tenant
  readonly secrets: readonly string[]
  readonly errors: readonly AdapterResponse[]
}

/** Calls the service and the control plane in every way, with something planted wherever something can stand. */
export async function runPlantedSession(adapter: Adapter): Promise<PlantedSession> {
  const errors: AdapterResponse[] = []
  const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any', status_methods: ['POST'] } })
  const call = async (method: string, target: string, options: RequestOptions = {}) => {
    const headers = { 'user-agent': planted.agent, 'x-planted': planted.text, ...options.headers }
    const reply = await adapter.request(method, target, { ...options, headers }).catch(() => undefined)
    if (reply && reply.status >= 400) errors.push(reply)
    return reply
  }
  const json = { 'content-type': 'application/json' }
  const lead = (body: unknown, headers: Record<string, string> = {}, query = '') =>
    call('POST', `/api/v1/lead${query}`, { body, headers: { apikey: tenant.publisherKey, ...json, ...headers } })

  for (const changes of submissions) await lead(tenant.body({ ...person, ...changes }, planted.email))
  for (const word of ['new', 'blacklisted', 'http_401', 'http_422', 'http_500', 'http_503', 'lost_reply'])
    await lead(tenant.body(person, `${word}+planted@sandbox.test`))
  await lead(tenant.body(person), { 'x-sandbox-scenario': planted.text })
  await lead(`{"customer": "${planted.email}"`)
  await lead(`"${planted.text.padEnd(262_144, 'x')}"`)
  await lead(planted.email, { 'content-type': `text/${planted.token}` })
  await lead(planted.email, { 'content-encoding': planted.token })
  await lead(tenant.body(person), { apikey: planted.key })
  await lead(tenant.body(person), { apikey: tenant.advertiserKey() })
  await lead(tenant.body(person), {}, `?apikey=${tenant.publisherKey}&email=${planted.email}`)
  await call('GET', `/api/v1/lead?email=${planted.email}`)
  await call('GET', `/api/v1/${planted.email}/${planted.document}`)

  const id = await tenant.distributedLead(person)
  const token = new URLSearchParams((await tenant.postback(id)).split('?')[1]).get('token') ?? ''
  const pixel = (at: string, query: Record<string, string>) =>
    call('GET', `/api/v1/lead/${encodeURIComponent(at)}/status?${new URLSearchParams(query)}`)
  await pixel(id, { token, event: 'approved', ref: planted.email, extra: planted.text })
  await pixel(id, { token, event: planted.text, ref: planted.text.repeat(500), [planted.document]: '1' })
  await pixel(id, { token: planted.token, event: 'approved', ref: planted.text })
  await pixel(planted.email, { token, event: 'approved', apikey: tenant.publisherKey })
  const report = (at: string, body: unknown, key = tenant.advertiserKey(), method = 'POST') =>
    call(method, `/api/v1/lead/${encodeURIComponent(at)}/status`, { body, headers: { apikey: key, ...json } })
  await report(id, { status: `${planted.text} of ${planted.email}`, metadata: { amount: 1, note: planted.text } })
  await report(id, { status: 'converted', advertiser_id: planted.email, metadata: { amount: planted.text } })
  await report(id, { status: '', metadata: planted.text })
  await report(planted.email, { status: planted.text })
  await report(id, { status: planted.text }, tenant.advertiserKey(1))
  await report(id, { status: planted.text }, tenant.publisherKey)
  await report(id, { status: planted.text }, tenant.advertiserKey(), 'PATCH')

  const below = `/_sandbox/v1/tenants/${tenant.account.tenant}`
  const wrong: readonly (readonly [string, string, unknown?])[] = [
    ['POST', '/faults', { match: { operation: planted.text }, effect: { drop: planted.text }, times: planted.text }],
    ['POST', '/clock', { set: planted.text }],
    ['POST', '/clock/advance', { by: planted.text }],
    ['POST', '/callbacks/recover', { since: planted.email }],
    ['POST', '/snapshots', { name: planted.email }],
    ['POST', `/snapshots/${planted.email}/restore`],
    ['PATCH', '', { blacklist: [{ email: 1, phone: planted.text }], settings: { gender: planted.text } }],
    ['PATCH', '', { callback_url: `javascript:${planted.token}` }],
    ['PATCH', '/inbox', { status: planted.text }],
    ['POST', `/leads/${planted.email}/trigger`, { event: planted.text, via: planted.text }],
    ['POST', `/leads/${id}/trigger`, { event: planted.text, via: 'pixel' }],
    ['GET', `/leads?status=${planted.email}&limit=${planted.phone}`],
    ['GET', `/leads/${planted.email}`],
    ['GET', `/callbacks/${planted.document}`],
    ['GET', `/callbacks/wait?lead_id=${planted.email}`],
    [
      'GET',
      `/requests?lead_id=${planted.email}&operation=${planted.text}&status=${planted.iban}&before=${planted.text}`,
    ],
    ['DELETE', `/faults/${planted.email}`],
  ]
  for (const [method, path, body] of wrong)
    await call(method, below + path, { ...(body !== undefined && { body, headers: json }) })
  await call('GET', `/_sandbox/v1/tenants/${planted.email}`)
  await call('GET', `/_sandbox/lender/${planted.email}/${planted.document}`)
  await call('GET', `/_sandbox/${planted.email}`)

  const keys = [tenant.publisherKey, ...tenant.account.advertisers.map(({ api_key }) => api_key)]
  return { tenant, secrets: [...keys, token], errors }
}

/** What of a session stands in a text. */
export function leaksOf({ secrets }: PlantedSession, text: string): string[] {
  const found = [...text.matchAll(/.{0,60}(?:planted|611.?777.?888|9121000418450200051332).{0,40}/gi)].map(
    ([hit]) => hit,
  )
  return [...found, ...secrets.filter(secret => text.includes(secret))]
}
