import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import type { Changes, Tenant } from '../adapters/tenant.ts'
import { reply, transportsOf } from './odd-replies.fixture.ts'
import { describePrograms, openJourney, run } from './programs.fixture.ts'

const journey = openJourney()

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const redirect_url = 'https://advertiser.example/apply?lead=~a%20b==&n=1#top'
const distributed = { status: 'distributed', lead_id, redirect_url }
const transports = transportsOf(distributed)
const taken = `distributed ${lead_id} ${redirect_url}`
const [refused, lost] = ['no lead was created', 'the lead may exist']

/** A service's responses, and each client's result. */
const odd: readonly (readonly [string, ReturnType<typeof reply>, string])[] = [
  ...Object.entries(transports.whole).map(([name, answer]) => [name, answer, taken] as const),
  ...Object.entries(transports.lost).map(([name, answer]) => [name, answer, lost] as const),
  ['only nested fields', reply(200, { data: distributed }), lost],
  ['a status that is a number', reply(200, { ...distributed, status: 1 }), lost],
  ['null for what does not apply', reply(200, { status: 'new', lead_id, redirect_url: null }), `new ${lead_id}`],
  ['new with a redirect', reply(200, { ...distributed, status: 'new' }), `new ${lead_id}`],
  ...[null, 'javascript:alert(1)', 'https://u:p@a.example/'].map(
    url =>
      [`a redirect to ${url}`, reply(200, { ...distributed, redirect_url: url }), `distributed ${lead_id}`] as const,
  ),
  ['rejected without a reason', reply(200, { status: 'rejected', lead_id }), 'rejected'],
  ['rejected with a nested reason', reply(200, { status: 'rejected', rejection_reason: { a: 'b' } }), 'rejected'],
  ...['consents_missing', 'invalid_product'].map(
    error => [`a 422 ${error}`, reply(422, { error, message: 'no' }), `rejected ${error}`] as const,
  ),
  ['another 422', reply(422, { error: 'publisher_mismatch', status: 'new', lead_id }), refused],
  ['a 400 that names a rejection', reply(400, { error: 'invalid_product' }), refused],
  ...[301, 404, 429, 501].map(
    status => [`a ${status}`, reply(status, { ...distributed, error: 'x' }), refused] as const,
  ),
  ...[302, 408, 500, 503, 520].map(status => [`a ${status}`, reply(status, distributed), lost] as const),
]

it.each(odd)('the SDK interprets %s like the programs', async (_name, answer, expected) => {
  await using service = await openReceiver(answer)
  const publisher = createPublisher({
    baseUrl: `${service.url}/api/v1`,
    apiKey: 'sandbox_key',
    maxRetries: 0,
    validate: false,
  })
  const made = await publisher.submit({} as never).then(
    result => {
      if (result.outcome === 'distributed') return `distributed ${result.lead_id} ${result.redirect_url}`
      if (result.outcome === 'rejected') return `rejected ${result.rejection_reason ?? ''}`
      if (result.outcome === 'unknown') return lost
      const status = result.outcome === 'new' ? 'new' : result.status
      return status === null ? lost : `${status} ${result.lead_id ?? ''}`
    },
    () => refused,
  )
  expect(made.trim()).toBe(expected)
})

describePrograms('submit.md', ['sh', 'php', 'python', 'java'], program => {
  const submit = (lead: unknown, origin: string, key: string) => {
    writeFileSync(join(program.folder, 'lead.json'), JSON.stringify(lead))
    const env = { LEAD_BASE_URL: `${origin}/api/v1`, LEAD_PUBLISHER_API_KEY: key }
    return run(program, ['lead.json'], env)
  }
  const submitTo = (tenant: Tenant, changes?: Changes, email?: string) =>
    submit(tenant.body(changes, email), journey.adapter().url, tenant.publisherKey)
  const fault = (tenant: Tenant, effect: object) =>
    tenant.control('POST', '/faults', { body: { match: { operation: 'submitLead' }, effect, times: 1 } })
  const newest = async (tenant: Tenant) => (await tenant.wholeLeads())[0]

  it('prints the redirect URL of a distributed lead', async () => {
    const tenant = await journey.newTenant()
    const { code, printed } = await submitTo(tenant)
    const { lead_id } = await newest(tenant)
    expect(code, printed).toBe(0)
    const [outcome, id, url = ''] = printed.trim().split(' ')
    expect([outcome, id]).toEqual(['distributed', lead_id])
    expect((await fetch(url)).status).toBe(200)
  })

  it('prints no URL for a new or rejected lead', async () => {
    const tenant = await journey.newTenant()
    const accepted = await submitTo(tenant, { 'product_data.loan_amount': 60_000 }, 'ana@example.com')
    const repeated = await submitTo(tenant, {}, 'ana@example.com')
    const { lead_id } = await newest(tenant)
    expect(accepted).toEqual({ code: 0, printed: `new ${lead_id}\n` })
    expect(repeated).toEqual({ code: 0, printed: 'rejected customer_already_exists\n' })
  })

  it('prints an unknown status, and no URL', async () => {
    const reply = { status: 'queued', lead_id: crypto.randomUUID(), redirect_url: null }
    await using service = await openReceiver(response => response.end(JSON.stringify(reply)))
    const { code, printed } = await submit({}, service.url, 'key')
    expect([code, printed.trim()]).toEqual([0, `queued ${reply.lead_id}`])
  })

  it('explains an invalid lead or key, and says that no lead was created', async () => {
    const tenant = await journey.newTenant()
    const invalid = await submitTo(tenant, { 'product_data.loan_amount': 1 })
    const key = 'sandbox_pub_wrong'
    const unauthorized = await submit(tenant.body(), journey.adapter().url, key)
    expect([invalid.code, unauthorized.code]).toEqual([1, 1])
    expect(invalid.printed).toMatch(/with 400\b.*product_data\.loan_amount/)
    expect(unauthorized.printed).toContain('with 401')
    expect(unauthorized.printed).not.toContain(key)
    expect(await tenant.wholeLeads()).toEqual([])
  })

  it.each([
    ['a lost reply', { lost_reply: true }],
    ['a server error', { status: 503 }],
    ['a truncated response', { malformed: true }],
  ])('submits the lead once after %s, and says that it may exist', async (_name, effect) => {
    const tenant = await journey.newTenant()
    await fault(tenant, effect)
    const { code, printed } = await submitTo(tenant)
    expect(code, printed).toBe(3)
    expect(printed).toContain('The lead may exist')
    const { requests } = (await tenant.control('GET', '/requests?operation=submitLead')).json
    expect(requests).toHaveLength(1)
  })

  it('submits nothing without a base URL, and does not report a lost reply', async () => {
    writeFileSync(join(program.folder, 'lead.json'), '{}')
    const { code } = await run(program, ['lead.json'], {
      LEAD_BASE_URL: '',
      LEAD_PUBLISHER_API_KEY: 'key',
    })
    expect([0, 3]).not.toContain(code)
  })

  it('never sends its key to a redirect target', async () => {
    await using elsewhere = await openReceiver()
    await using service = await openReceiver(withStatus(307, { location: elsewhere.url }))
    expect((await submit({}, service.url, 'key')).code).toBe(1)
    expect([service.received.length, elsewhere.received.length]).toEqual([1, 0])
    expect(service.received).toMatchObject([{ target: '/api/v1/lead', headers: { apikey: 'key' }, body: '{}' }])
  })

  it.each(odd)('interprets %s like the SDK, and sends the lead once', async (_name, answer, expected) => {
    await using service = await openReceiver(answer)
    const { code, printed } = await submit({}, service.url, 'key')
    const made = code === 1 ? refused : code === 3 ? lost : printed.trim()
    expect(made, printed).toBe(expected)
    expect(service.received).toHaveLength(1)
  })
})
