import { createTarget, type Facts, type Fetch, openPoints, type Point } from '@lead-distribution/conformance'
import { type CallbackListener, openCallbackListener } from '@lead-distribution/conformance/callback-listener'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { targetThrough } from '../adapters/conformance-target.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'

const patienceMs = 300
const points = Object.keys(openPoints) as Point[]

let adapter: Adapter
let callbacks: CallbackListener
beforeAll(async () => {
  adapter = await openExpressAdapter()
  callbacks = await openCallbackListener({ patienceMs })
})
afterAll(async () => {
  await callbacks[Symbol.asyncDispose]()
  await adapter.close()
})

/** Returns a target with changed facts, or reached through another `fetch`. */
async function targetWith(known: (facts: Facts) => Facts, settings: object = {}, fetch: Fetch = globalThis.fetch) {
  const { target, tenant } = await targetThrough(adapter, { settings, callback_url: callbacks.url })
  return { tenant, target: createTarget({ facts: known(target.facts), callbacks, patienceMs, fetch }) }
}

/** Makes our service behave like another implementation; undefined passes the request on unchanged. */
type Deviation = (url: URL, init: RequestInit, pass: Fetch) => Promise<Response> | undefined
const through =
  (deviation: Deviation): Fetch =>
  async (url, init) =>
    deviation(new URL(url), init, globalThis.fetch) ?? globalThis.fetch(url, init)

const answer = (status: number, body: object) => Promise.resolve(Response.json(body, { status }))
const isLead = ({ pathname }: URL) => pathname.endsWith('/lead')
const holds = ({ body }: RequestInit, text: string) => String(body).includes(text)

describe('a finding has no interpretation and explains why', () => {
  it('naming the flag that would help, if only the publisher is known', async () => {
    const { target } = await targetThrough(adapter)
    const { baseUrl, publisher, product_id } = target.facts
    const bare = createTarget({ facts: { baseUrl, publisher, product_id, advertisers: [] }, patienceMs })
    const found = []
    for (const point of points) {
      const { interpretation, known_by } = await bare.finding(point)
      if (interpretation === undefined) expect(known_by).toMatch(/^It needs .*--[a-z]/)
      else found.push(point)
    }
    expect(found).toEqual([
      'gender',
      'consent_metadata',
      'semantic_refusals',
      'absent_fields',
      'duplicate_window',
      'email_letter_case',
      'body_limit',
    ])
  })

  it('if only one of two advertisers with unknown criteria has a lead', async () => {
    const secretly = (facts: Facts): Facts => ({ ...facts, account: undefined })
    const { target: first } = await targetWith(secretly)
    expect(await first.finding('distribution')).toMatchObject({
      interpretation: undefined,
      known_by: expect.stringContaining('--account'),
    })
    const { target: all } = await targetWith(secretly, { distribution: 'all_accepting' })
    expect(await all.interpretation('distribution')).toBe('all_accepting')
    for (const target of [first, all]) expect(await target.interpretation('other_advertiser')).toBe('http_404')
  })

  it('if no callback arrives', async () => {
    const { target, tenant } = await targetWith(facts => facts)
    await tenant.change({ callback_url: null })
    for (const point of points.filter(name => name.startsWith('callback_')))
      expect(await target.finding(point)).toMatchObject({
        interpretation: undefined,
        known_by: expect.stringMatching(/^No callback .*--patience/),
      })
  })

  it('if there is no response', async () => {
    const { target } = await targetWith(
      facts => facts,
      {},
      through(() => Promise.reject(new TypeError('fetch failed'))),
    )
    const findings = await Promise.all(points.map(point => target.finding(point)))
    expect(findings.filter(({ interpretation }) => interpretation !== undefined)).toEqual([])
    for (const { known_by } of findings) expect(known_by).toMatch(/^[A-Z].*\.$/)
  })
})

describe('the window of a returning customer', () => {
  const lenient = { countries: ['ES', 'AQ'], min_age: 0, minimum_monthly_income: 0 }

  it("is found with the account's criteria if the likely criteria reject nobody", async () => {
    const { target, tenant } = await targetWith(facts => facts)
    const product_id = target.facts.product_id
    await tenant.change({ products: [{ product_id, criteria: lenient }] })
    const { facts } = target
    const { account } = tenant
    expect(await createTarget({ facts: { ...facts, account }, patienceMs }).interpretation('duplicate_window')).toMatch(
      /^>= /,
    )
    expect(
      await createTarget({ facts: { ...facts, account: undefined }, patienceMs }).finding('duplicate_window'),
    ).toEqual({
      point: 'duplicate_window',
      interpretation: undefined,
      known_by: expect.stringMatching(/^No lead was rejected .*--account/),
    })
  })

  it('is given as a range if it is not a whole number of seconds', async () => {
    const { target } = await targetWith(facts => facts, { duplicate_window: 'PT0.2S' })
    const finding = await target.finding('duplicate_window')
    expect(finding.interpretation).toMatch(/^PT[0-9.]+S\.\.PT[0-9.]+S$/)
  })
})

describe('the token of an existing postback URL', () => {
  const format = { hash: 'SHA-512', joiner: '|', encoding: 'base64url' }
  const given = async (known: (facts: Facts) => Facts) => {
    const { target, tenant } = await targetThrough(adapter, { settings: { token_format: format } })
    const postback_url = `${adapter.url}${await tenant.postback(await tenant.distributedLead())}&event=approved`
    const unreachable = through(() => Promise.reject(new TypeError('fetch failed')))
    const token = new URL(postback_url).searchParams.get('token')
    const facts = known({ ...target.facts, postback_url })
    return { token, finding: await createTarget({ facts, fetch: unreachable }).finding('token_format') }
  }

  it('reveals its format with the secret, without a request', async () => {
    expect((await given(facts => facts)).finding.interpretation).toEqual(format)
  })

  it('reveals only hash and encoding without the secret', async () => {
    const { token, finding } = await given(facts => ({ ...facts, advertisers: [] }))
    expect(finding.interpretation).toBeUndefined()
    expect(finding.known_by).toContain('SHA-512 in base64url')
    expect(finding.known_by).not.toContain(token)
  })
})

it('does not accept signature headers that do not match the secret', async () => {
  const callback_secret = `whsec_${btoa('another secret, of 32 bytes long')}`
  const settings = { callback_signature: 'standard_webhooks' }
  const { target } = await targetWith(facts => ({ ...facts, callback_secret }), settings)
  expect(await target.finding('callback_signature')).toMatchObject({
    interpretation: undefined,
    known_by: expect.stringContaining("doesn't match the secret"),
  })
  const { target: unknowing } = await targetWith(facts => ({ ...facts, callback_secret: undefined }), settings)
  expect(await unknowing.finding('callback_signature')).toMatchObject({
    interpretation: 'standard_webhooks',
    known_by: expect.stringContaining('not verified'),
  })
})

describe('interprets a service by its behavior', () => {
  /** For each service: the open point, the finding, and the difference to ours. */
  const deviations: Record<string, readonly [Point, unknown, Deviation]> = {
    'if it refuses a lead without metadata because of another field': [
      'consent_metadata',
      undefined,
      (url, init) =>
        isLead(url) && !holds(init, '"metadata"')
          ? answer(400, { error: 'validation_error', message: 'No.', details: [{ field: 'customer', issue: 'no' }] })
          : undefined,
    ],
    'if it rejects missing consents but refuses unknown products': [
      'semantic_refusals',
      undefined,
      (url, init) =>
        isLead(url) && holds(init, '"accepted":false')
          ? answer(200, { status: 'rejected', rejection_reason: 'consents_missing' })
          : undefined,
    ],
    'if it has no PATCH': [
      'status_methods',
      ['POST'],
      (_url, { method }) => (method === 'PATCH' ? answer(404, { error: 'x', message: 'Oh.' }) : undefined),
    ],
    'if it sends null for one absent field and omits another': [
      'absent_fields',
      undefined,
      (url, init, pass) =>
        isLead(url)
          ? pass(url.href, init).then(async reply =>
              answer(reply.status, { redirect_url: null, ...(await reply.json()) }),
            )
          : undefined,
    ],
    'if it validates the event before the token': [
      'token_format',
      { hash: 'SHA-256', joiner: ':', encoding: 'hex' },
      ({ pathname, searchParams }, { method }) =>
        method === 'GET' && pathname.endsWith('/status') && !searchParams.has('event')
          ? answer(400, { error: 'validation_error', message: 'No event.', details: [] })
          : undefined,
    ],
    'if it responds with 403 to leads of other advertisers': [
      'other_advertiser',
      'http_403',
      (url, init, pass) =>
        pass(url.href, init).then(reply => (reply.status === 404 ? answer(403, { error: 'x', message: 'm' }) : reply)),
    ],
    'if it distinguishes upper and lower case in email addresses': [
      'email_letter_case',
      'kept_apart',
      (url, init, pass) =>
        holds(init, '@EXAMPLE.COM')
          ? pass(url.href, { ...init, body: String(init.body).replace('@EXAMPLE.COM', '@other.example.com') })
          : undefined,
    ],
    'if it records events for HEAD': [
      'pixel_head',
      'records',
      (url, init, pass) => (init.method === 'HEAD' ? pass(url.href, { ...init, method: 'GET' }) : undefined),
    ],
    'if it accepts at most 100,000 bytes': [
      'body_limit',
      '65536..131072',
      (_url, init) => (String(init.body).length > 100_000 ? answer(413, { error: 'x', message: 'm' }) : undefined),
    ],
    'if it closes the connection on a body that is too large': [
      'body_limit',
      '16384..32768',
      (_url, init) => (String(init.body).length > 20_000 ? Promise.reject(new TypeError('fetch failed')) : undefined),
    ],
  }

  it.concurrent.each(Object.entries(deviations))('%s', async (_title, [point, found, deviation]) => {
    const { target } = await targetWith(facts => facts, {}, through(deviation))
    const { interpretation, known_by } = await target.finding(point)
    expect(interpretation, known_by).toEqual(found)
    expect(known_by).toMatch(/^[A-Z].*\.$/s)
  })
})
