import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createAdvertiser, type EventResult, LeadSdkError, type StatusResult } from '@lead-distribution/advertiser-sdk'
import { createTestPostbackUrl, forgeTestPostbackUrls } from '@lead-distribution/advertiser-sdk/testing'
import { createPublisher, type SubmitResult } from '@lead-distribution/publisher-sdk'
import { createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import {
  createFakeService,
  createTestCallback,
  createTestLeads,
  type FakeWord,
  fakeWords,
  scenarioWords,
} from '@lead-distribution/publisher-sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openReceiver, type Received } from '../adapters/receiver.ts'
import { createTenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** The operations of the service. */
export type Operation = 'submitLead' | 'reportStatus' | 'reportEvent'

const limits = { timeoutMs: 250, backOff: { minDelayMs: 0, maxRetryAfterMs: 0 } }

/** A service that the SDKs call, its clients, and what is needed to make it fail. */
export type Side = Awaited<ReturnType<typeof sandboxSide | typeof fakeSide>>

/** The real sandbox, through real sockets. */
export async function sandboxSide(adapter: Adapter) {
  const tenant = await createTenant(adapter)
  const address = { baseUrl: `${adapter.url}/api/v1`, fetch: globalThis.fetch }
  return {
    ...address,
    publisher: createPublisher({ ...address, ...limits, apiKey: tenant.publisherKey }),
    advertiser: createAdvertiser({ ...address, ...limits, apiKey: tenant.advertiserKey() }),
    keys: { publisher: tenant.publisherKey, advertiser: tenant.advertiserKey() },
    leads: createTestLeads(tenant.account),
    postbackUrl: async (lead_id: string) => `${adapter.url}${await tenant.postback(lead_id)}`,
    async fails(operation: Operation, name: FakeWord, times: number) {
      const { status, json } = await tenant.control('POST', '/faults', {
        body: { match: { operation }, effect: effectOf(name), times },
      })
      expect([status, json.details]).toEqual([201, undefined])
    },
  }
}

/** The fake service. */
export async function fakeSide() {
  const fake = createFakeService()
  const [publisher, advertiser] = [fake.account.publisher, fake.account.advertisers[0]]
  return {
    baseUrl: fake.baseUrl,
    fetch: fake.fetch,
    publisher: createPublisher({ ...fake.publisher, ...limits }),
    advertiser: createAdvertiser({ ...fake.advertiser, ...limits }),
    keys: { publisher: publisher.api_key, advertiser: advertiser.api_key },
    leads: createTestLeads(fake.account),
    postbackUrl: (lead_id: string) => createTestPostbackUrl({ lead_id }),
    async fails(_operation: Operation, name: FakeWord, times: number) {
      fake.next(...Array<FakeWord>(times).fill(name))
    },
  }
}

function effectOf(name: FakeWord): object {
  if (name === 'rate_limited') return { status: 429, retry_after: 1 }
  const status = /^http_(\d+)$/.exec(name)?.[1]
  return status === undefined ? { [name]: true } : { status: Number(status) }
}

/** What an SDK came to, without what differs from one lead and one call to the next. */
export async function met(call: Promise<SubmitResult | StatusResult | EventResult>): Promise<object> {
  try {
    const { meta, raw, ...result } = await call
    const redirect = 'redirect_url' in result && result.redirect_url !== undefined
    return {
      ...result,
      ...(result.lead_id !== null && { lead_id: 'an id' }),
      ...(redirect && { redirect_url: 'an address' }),
      http: meta.status,
      attempts: meta.attempts,
      fields: Object.keys(raw).sort(),
    }
  } catch (error) {
    if (!LeadSdkError.is(error)) throw error
    const { name, code, sent, retryable, message, meta } = error
    const {
      error: said,
      details,
      retryAfterMs,
    } = error as { error?: unknown; details?: unknown; retryAfterMs?: unknown }
    return {
      name,
      code,
      sent,
      retryable,
      message,
      said,
      details,
      retryAfterMs,
      http: meta?.status,
      attempts: meta?.attempts,
    }
  }
}

let adapter: Adapter
beforeAll(async () => {
  adapter = await openExpressAdapter()
})
afterAll(() => adapter.close())

/** What the same steps come to at the real sandbox and at the fake service. */
async function both<Result>(steps: (side: Side) => Promise<Result>): Promise<[Result, Result]> {
  return [await steps(await sandboxSide(adapter)), await steps(await fakeSide())]
}

/** What the fake service does and no sandbox does. */
const ofNoSandbox = ['refused', 'unknown_status', 'unknown_reason']
const outcomes: readonly string[] = scenarioWords.filter(name => !/^http_|^timeout$|^lost_reply$/.test(name))
const faults = fakeWords.filter(name => !ofNoSandbox.includes(name) && !outcomes.includes(name))

/** A lead that an advertiser has. */
async function sold({ publisher, leads }: Side): Promise<string> {
  const { lead_id } = await publisher.submit(leads.distributed())
  return lead_id ?? expect.fail('The lead was not created.')
}

/** Each operation, called through an SDK on a lead that is there. */
const calls: Record<Operation, (side: Side, lead_id: string) => Promise<object>> = {
  submitLead: ({ publisher, leads }) => met(publisher.submit(leads.distributed())),
  reportStatus: ({ advertiser }, lead_id) => met(advertiser.reportStatus(lead_id, { status: 'approved' })),
  reportEvent: async ({ advertiser, postbackUrl }, lead_id) =>
    met(advertiser.fire(advertiser.parsePostbackUrl(await postbackUrl(lead_id)), { event: 'approved' })),
}

describe('the fake service and the sandbox are alike to an SDK', () => {
  it('for a lead whose address asks for a scenario', () =>
    eachRow(scenarioWords, async name => {
      const [sandbox, fake] = await both(({ publisher, leads }) => met(publisher.submit(leads.scenario(name))))
      expect(fake).toEqual(sandbox)
    }))

  it('for a chain of scenarios', async () => {
    const [sandbox, fake] = await both(async ({ publisher, leads }) => {
      const lead = leads.scenario('http_503.age_restriction.fraud_suspected')
      const all = []
      for (let time = 0; time < 4; time++) all.push(await met(publisher.submit(lead)))
      return all
    })
    expect(fake).toEqual(sandbox)
  })

  describe.each(Object.entries(calls))('when they call %s', (operation, call) => {
    it('and it meets an injected fault once', () =>
      eachRow(faults, async name => {
        const [sandbox, fake] = await both(async side => {
          const lead_id = await sold(side)
          await side.fails(operation as Operation, name, 1)
          return call(side, lead_id)
        })
        expect(fake).toEqual(sandbox)
      }))

    it('and it meets an injected fault to the end', () =>
      eachRow(['http_503', 'rate_limited', 'reset'] as const, async name => {
        const [sandbox, fake] = await both(async side => {
          const lead_id = await sold(side)
          await side.fails(operation as Operation, name, 3)
          return call(side, lead_id)
        })
        expect(fake).toEqual(sandbox)
      }))

    it('twice', async () => {
      const [sandbox, fake] = await both(async side => {
        const lead_id = await sold(side)
        return [await call(side, lead_id), await call(side, lead_id)]
      })
      expect(fake).toEqual(sandbox)
    })
  })

  it('for a connection that is refused', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    const options = { backOff: { minDelayMs: 0 }, maxRetries: 1 }
    const nowhere = createPublisher({ ...options, baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'k' })
    const fake = createFakeService()
    fake.next('refused', 'refused')
    const lead = createTestLeads(fake.account).distributed()
    const real = await met(nowhere.submit(lead))
    expect(await met(createPublisher({ ...fake.publisher, ...options }).submit(lead))).toEqual(real)
    expect(real).toMatchObject({ code: 'not_sent', sent: 'no', attempts: 2 })
  })

  it('for every wrong token', async () => {
    const [sandbox, fake] = await both(async side => {
      const lead_id = await sold(side)
      const right = await side.postbackUrl(lead_id)
      const forged = await forgeTestPostbackUrls({ baseUrl: side.baseUrl, lead_id })
      const { cut_token: _, token_escaped_twice: __, ...others } = forged
      const wrong = [right.slice(0, -1), right.replace(/token=(.)/, 'token=%25$1'), ...Object.values(others)]
      const fire = async (raw: string) =>
        side.advertiser.fire(side.advertiser.parsePostbackUrl(raw), { event: 'approved' })
      const results = await Promise.all(wrong.map(raw => met(fire(raw))))
      // A refusal names the address that was expected, which is another one here.
      return JSON.stringify(results, null, 1).replaceAll(new URL(side.baseUrl).origin, 'the base URL')
    })
    expect(fake).toEqual(sandbox)
  })
})

/** Requests that are wrong, by a bare fetch. */
const wrong: Record<string, (side: Side) => [path: string, init?: RequestInit]> = {
  'another path': () => ['/leads', { method: 'POST' }],
  'a slash at the end': () => ['/lead/', { method: 'POST' }],
  'another method': () => ['/lead', { method: 'PUT' }],
  'another method on a status': () => ['/lead/7/status', { method: 'DELETE' }],
  'no key': () => ['/lead', { method: 'POST', body: '{}' }],
  'the key of the other scope': ({ keys }) => ['/lead', post(keys.advertiser, '{}')],
  'a key in the URL': ({ keys }) => [`/lead?apikey=${keys.publisher}`, post(keys.publisher, '{}')],
  'half a body': ({ keys }) => ['/lead', post(keys.publisher, '{')],
  'no body': ({ keys }) => ['/lead', post(keys.publisher, '')],
  'another type': ({ keys }) => ['/lead', { method: 'POST', headers: { apikey: keys.publisher }, body: '{}' }],
  'a body too large': ({ keys }) => ['/lead', post(keys.publisher, '{}'.padEnd(262_145))],
  'an empty lead': ({ keys }) => ['/lead', post(keys.publisher, '{}')],
  'a list': ({ keys }) => ['/lead', post(keys.publisher, '[]')],
  'no UUID': ({ keys }) => ['/lead/7/status', post(keys.advertiser, '{"status":"converted"}')],
  'a report of nothing': ({ keys }) => [`/lead/${crypto.randomUUID()}/status`, post(keys.advertiser, '{"status":""}')],
  'no token': () => [`/lead/${crypto.randomUUID()}/status?event=approved`],
}

const post = (apikey: string, body: string): RequestInit => ({
  method: 'POST',
  headers: { apikey, 'content-type': 'application/json' },
  body,
})

describe('the fake service and the sandbox refuse alike', () => {
  it.each(Object.entries(wrong))('%s', async (_title, request) => {
    const [sandbox, fake] = await both(async side => {
      const [path, init] = request(side)
      const reply = await side.fetch(`${side.baseUrl}${path}`, init)
      const { error, details } = await reply.json()
      const fields = details?.map(({ field }: { field: string }) => field)
      return { status: reply.status, allow: reply.headers.get('allow'), error, fields }
    })
    expect(fake).toEqual(sandbox)
  })
})

const signatureOf = ({ headers }: Received) => [
  headers['webhook-id'],
  headers['webhook-timestamp'],
  headers['webhook-signature'],
]

it('a test callback reaches a receiver as the sandbox sends it', () =>
  eachRow(['none', 'standard_webhooks'], async callback_signature => {
    await using receiver = await openReceiver()
    const adapter = await openExpressAdapter()
    try {
      const { url } = createCallbackUrl(`${receiver.url}/callbacks?site=a%20b`)
      const tenant = await createTenant(adapter, { callback_url: url, settings: { callback_signature } })
      const lead_id = await tenant.distributedLead()
      await tenant.pixel(lead_id, 'approved')
      await expect.poll(() => receiver.received.length).toBe(1)
      const [real = expect.fail('Nothing came.')] = receiver.received
      const signed = callback_signature === 'none' ? {} : { secret: tenant.account.publisher.callback_secret }
      const [id = 'any', seconds] = signatureOf(real)
      const at = new Date(Number(seconds ?? 0) * 1000)
      await fetch(await createTestCallback({ url, lead_id, event: 'loan_issued', id: String(id), at, ...signed }))
      const [, made = expect.fail('The test callback did not come.')] = receiver.received
      expect([made.method, made.target, made.body]).toEqual([real.method, real.target, real.body])
      expect(signatureOf(made)).toEqual(signatureOf(real))
      expect(typeof signatureOf(made)[2]).toBe(callback_signature === 'none' ? 'undefined' : 'string')
    } finally {
      await adapter.close()
    }
  }))
