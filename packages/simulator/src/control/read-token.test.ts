import { createTestLeads, requestsOf } from '@lead-distribution/contract/test-leads'
import { leadToken } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { settled } from '../ports.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import type { ControlOperation } from './operation.ts'
import { controlOperations } from './operations.ts'

const adminToken = 'T0ken-of-the-operator'
const control = '/_sandbox/v1'
const noBody = new Uint8Array()

/** The tenants' callback URLs: a failing receiver, and the tenant's own inbox. */
const callbackUrls = {
  'a receiver': 'http://127.0.0.1:4999/planted-path/callbacks?key=planted-query&lead_id=planted-lead#planted-hash',
  'its own inbox': 'http://127.0.0.1:4010/_sandbox/inbox/qa?key=planted-query&event=planted-event',
} as const

/** A shared sandbox. Its tenant `qa` has one of everything, with a secret wherever possible. */
async function openPlanted(callback_url: string) {
  const { sandbox, time, call } = await openSandbox({
    access: { adminToken },
    documents: () => import('../documents.ts'),
    dialer: {
      get: async ({ url }) => ({ status: 500, answer: { headers: { location: url }, text: `Failed: ${url}` } }),
      post: async () => ({ error: 'connection refused' }),
      close: () => undefined,
    },
  })
  const admin = (method: string, path: string, body?: object) =>
    call(method, `${control}/tenants${path}`, body, { authorization: `Bearer ${adminToken}` })
  const seed = 'planted-seed'
  await admin('POST', '', { name: 'qa', seed, callback_url })
  const { advertisers: made } = (await admin('GET', '/qa')).json
  const advertisers = made.map(({ advertiser_id }: { advertiser_id: string }, nth: number) => ({
    advertiser_id,
    postback_secret: `planted-postback-${nth}`,
    backend_url: `http://127.0.0.1:4998/planted-backend-${nth}?key=planted-query`,
  }))
  await admin('PATCH', '/qa', { advertisers, settings: { callback_signature: 'standard_webhooks' } })
  const account = (await admin('GET', '/qa')).json
  const tokens = [
    (await admin('POST', '/qa/tokens', { role: 'write' })).json.token,
    (await admin('POST', '/qa/tokens', { role: 'read' })).json.token,
  ]

  /** Submits a lead, reports on it, and waits for a callback attempt. */
  async function distribute() {
    const [request] = requestsOf(createTestLeads(account).distributed())
    const headers = { apikey: account.publisher.api_key }
    const { lead_id } = (await call('POST', '/api/v1/lead', JSON.parse(request?.body as string), headers)).json
    await admin('POST', `/qa/leads/${lead_id}/trigger`, { event: 'approved' })
    await time.advance(1_000)
    return lead_id as string
  }
  return { sandbox, time, account, admin, tokens, seed, distribute, read: tokens[1] as string }
}

describe.each(Object.entries(callbackUrls))('a read-only token of a tenant with callbacks to %s', (_, callback_url) => {
  it('sees no key, secret, token or secret part of a URL in any operation, page or stream', async () => {
    const { sandbox, time, account, admin, tokens, seed, distribute, read } = await openPlanted(callback_url)
    const get = (target: string, method = 'GET') =>
      sandbox.handle({ method, target, headers: { authorization: `Bearer ${read}` }, body: noBody })

    const streamed: string[] = []
    for (const path of ['/events', '/tenants/qa/events']) {
      const { stream } = await get(`${control}${path}`)
      void (async () => {
        for await (const piece of stream ?? []) streamed.push(piece)
      })()
    }
    const lead_id = await distribute()
    await admin('POST', '/qa/faults', { match: { operation: 'callback' }, effect: { drop: true } })
    await admin('POST', '/qa/snapshots', { name: 'then' })
    await admin('PATCH', '/qa', { callbacks_held: false })
    const { callbacks } = (await admin('GET', `/qa/callbacks?lead_id=${lead_id}`)).json
    const { requests } = (await admin('GET', '/qa/requests')).json
    await settled()
    expect(JSON.stringify(callbacks)).toContain('planted-query')

    const secrets = [
      ...[account.publisher, ...account.advertisers].map(({ api_key }) => api_key),
      account.publisher.callback_secret,
      ...(await Promise.all(
        account.advertisers.map((advertiser: { advertiser_id: string; postback_secret: string }) =>
          leadToken({ lead_id, ...advertiser }, account.settings.token_format),
        ),
      )),
      ...tokens,
      adminToken,
      seed,
      'planted',
    ]
    const expectNoSecret = (place: string, text: string) =>
      expect([place, secrets.filter(secret => text.includes(secret))]).toEqual([place, []])

    const ids: Readonly<Record<string, string>> = {
      tenant: 'qa',
      name: 'then',
      lead_id,
      callback_id: callbacks[0].callback_id,
      request_id: requests[0].request_id,
    }
    const query: Readonly<Record<string, string>> = {
      waitForCallback: `?lead_id=${lead_id}&timeout_ms=0`,
    }
    const statuses: Record<string, number> = {}
    for (const [name, operation] of Object.entries<ControlOperation>(controlOperations)) {
      if (operation.methods[0] !== 'GET') continue
      const path = operation.path.replace(/:(\w+)/g, (_, parameter: string) => ids[parameter] ?? '')
      let over = false
      const asked = get(`${control}${path}${query[name] ?? ''}`).finally(() => {
        over = true
      })
      // A wait sets its timer a few event loop turns after the request.
      while (!over) {
        await settled()
        await time.advance(0)
      }
      const response = await asked
      await response.stream?.[Symbol.asyncIterator]().return?.()
      statuses[name] = response.status
      expectNoSecret(name, JSON.stringify([response.headers, response.body]))
    }
    // The walk has reached every read operation and received its data.
    expect(Object.keys(statuses).length).toBeGreaterThan(20)
    expect(Object.entries(statuses).filter(([, status]) => status !== 200)).toEqual([
      ['exportRaw', 403],
      ['listTokens', 403],
      ...(callback_url.includes('/inbox/') ? [] : [['waitForCallback', 404]]),
      ['exportSnapshot', 403],
    ])
    for (const page of ['health', 'health/live', 'health/ready', 'metrics', 'openapi.json', 'service.openapi.json'])
      expectNoSecret(page, (await get(`/_sandbox/${page}`)).body)

    expectNoSecret('streams', streamed.join(''))
    for (const type of ['ready', 'lead', 'callback', 'request', 'fault', 'tenant'])
      expect(streamed.join('').split(`\nevent: ${type}\n`).length).toBeGreaterThan(2)
    await sandbox.close()
  })

  it("sees each callback's host, lead and event", async () => {
    const { sandbox, read, distribute } = await openPlanted(callback_url)
    const lead_id = await distribute()
    const { body } = await sandbox.handle({
      method: 'GET',
      target: `${control}/tenants/qa/callbacks`,
      headers: { authorization: `Bearer ${read}` },
      body: noBody,
    })
    const { origin } = new URL(callback_url)
    expect(JSON.parse(body).callbacks[0].url).toBe(`${origin}/hidden?lead_id=${lead_id}&event=loan_issued`)
    await sandbox.close()
  })
})

it('sees everything if its role is write', async () => {
  const url = callbackUrls['a receiver']
  const { sandbox, tokens, distribute } = await openPlanted(url)
  const lead_id = await distribute()
  const { body } = await sandbox.handle({
    method: 'GET',
    target: `${control}/tenants/qa/callbacks`,
    headers: { authorization: `Bearer ${tokens[0]}` },
    body: noBody,
  })
  expect(JSON.parse(body).callbacks[0].url).toBe(
    `http://127.0.0.1:4999/planted-path/callbacks?key=planted-query&lead_id=${lead_id}&event=loan_issued`,
  )
  await sandbox.close()
})

it('sees the host that a listener forwards to, but may not listen', async () => {
  const { sandbox, admin, read, distribute } = await openPlanted(callbackUrls['a receiver'])
  const forward_to = 'http://localhost:3000/planted-path?key=planted-query'
  const { listener_id } = (await admin('POST', '/qa/listener', { forward_to })).json
  await distribute()
  const ask = (method: string, path: string) =>
    sandbox.handle({
      method,
      target: `${control}/tenants/qa${path}`,
      headers: { authorization: `Bearer ${read}` },
      body: noBody,
    })
  const { body } = await ask('GET', '')
  expect(JSON.parse(body).listener).toEqual({
    listener_id,
    forward_to: 'http://localhost:3000/hidden',
    connected: false,
  })
  for (const path of ['', '/callbacks', '/clock/agenda'])
    expect((await ask('GET', path)).body).not.toContain('planted-path')
  expect((await ask('POST', `/listener/${listener_id}/take`)).status).toBe(403)
  await sandbox.close()
})
