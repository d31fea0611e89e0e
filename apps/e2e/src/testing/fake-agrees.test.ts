import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { forgeTestPostbackUrls } from '@lead-distribution/advertiser-sdk/testing'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createFakeService, createTestLeads, fakeWords, scenarioWords } from '@lead-distribution/publisher-sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { eachRow } from '../each-row.ts'
import { fakeSide, met, type Operation, type Side, sandboxSide } from './service-side.fixture.ts'

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
    const options = { backOff: { firstMs: 0 }, maxRetries: 1 }
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
      return Promise.all(wrong.map(raw => met(fire(raw))))
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
