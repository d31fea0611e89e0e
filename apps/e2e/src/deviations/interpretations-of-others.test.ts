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

/** A target of which less is known than its account says, or that is reached another way. */
async function targetWith(known: (facts: Facts) => Facts, settings: object = {}, fetch: Fetch = globalThis.fetch) {
  const { target, tenant } = await targetThrough(adapter, { settings, callback_url: callbacks.url })
  return { tenant, target: createTarget({ facts: known(target.facts), callbacks, patienceMs, fetch }) }
}

/** A service of another make: what it is asked and what it answers may be other than with us. */
type Deviation = (url: URL, init: RequestInit, pass: Fetch) => Promise<Response> | undefined
const through =
  (deviation: Deviation): Fetch =>
  async (url, init) =>
    deviation(new URL(url), init, globalThis.fetch) ?? globalThis.fetch(url, init)

const answer = (status: number, body: object) => Promise.resolve(Response.json(body, { status }))
const isLead = ({ pathname }: URL) => pathname.endsWith('/lead')
const holds = ({ body }: RequestInit, text: string) => String(body).includes(text)

describe('what is not known of a target is not found out, and said', () => {
  it('by the flag that would allow it, where only the publisher is known', async () => {
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

  it('of two advertisers with unknown criteria: that only one has a lead shows nothing', async () => {
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

  it('where no callback comes', async () => {
    const { target, tenant } = await targetWith(facts => facts)
    await tenant.change({ callback_url: null })
    for (const point of points.filter(name => name.startsWith('callback_')))
      expect(await target.finding(point)).toMatchObject({
        interpretation: undefined,
        known_by: expect.stringMatching(/^No callback .*--patience/),
      })
  })

  it('where nobody answers', async () => {
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

  it('is looked at by criteria of the account, where the likely ones reject nobody', async () => {
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

  it('is given by its bounds where it is no whole second', async () => {
    const { target } = await targetWith(facts => facts, { duplicate_window: 'PT0.2S' })
    const finding = await target.finding('duplicate_window')
    expect(finding.interpretation).toMatch(/^PT[0-9.]+S\.\.PT[0-9.]+S$/)
  })
})

describe('the token of a postback URL that was given out', () => {
  const format = { hash: 'SHA-512', joiner: '|', encoding: 'base64url' }
  const given = async (known: (facts: Facts) => Facts) => {
    const { target, tenant } = await targetThrough(adapter, { settings: { token_format: format } })
    const postback_url = `${adapter.url}${await tenant.postback(await tenant.distributedLead())}&event=approved`
    const unreachable = through(() => Promise.reject(new TypeError('fetch failed')))
    const token = new URL(postback_url).searchParams.get('token')
    const facts = known({ ...target.facts, postback_url })
    return { token, finding: await createTarget({ facts, fetch: unreachable }).finding('token_format') }
  }

  it('shows its format by the secret, and nothing is sent', async () => {
    expect((await given(facts => facts)).finding.interpretation).toEqual(format)
  })

  it('shows hash and letters without the secret', async () => {
    const { token, finding } = await given(facts => ({ ...facts, advertisers: [] }))
    expect(finding.interpretation).toBeUndefined()
    expect(finding.known_by).toContain('SHA-512 in base64url')
    expect(finding.known_by).not.toContain(token)
  })
})

it('does not take headers for a signature that is not the secret’s', async () => {
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

describe('a service of another make is interpreted as it behaves', () => {
  /** Of each: the point, what is found, and how the service deviates from ours. */
  const deviations: Record<string, readonly [Point, unknown, Deviation]> = {
    'that refuses without metadata, because of another field': [
      'consent_metadata',
      undefined,
      (url, init) =>
        isLead(url) && !holds(init, '"metadata"')
          ? answer(400, { error: 'validation_error', message: 'No.', details: [{ field: 'customer', issue: 'no' }] })
          : undefined,
    ],
    'that rejects consents and refuses products': [
      'semantic_refusals',
      undefined,
      (url, init) =>
        isLead(url) && holds(init, '"accepted":false')
          ? answer(200, { status: 'rejected', rejection_reason: 'consents_missing' })
          : undefined,
    ],
    'that has no PATCH at all': [
      'status_methods',
      ['POST'],
      (_url, { method }) => (method === 'PATCH' ? answer(404, { error: 'x', message: 'Oh.' }) : undefined),
    ],
    'that sends null for one field and leaves out another': [
      'absent_fields',
      undefined,
      (url, init, pass) =>
        isLead(url)
          ? pass(url.href, init).then(async reply =>
              answer(reply.status, { redirect_url: null, ...(await reply.json()) }),
            )
          : undefined,
    ],
    'that looks at the event before the token': [
      'token_format',
      { hash: 'SHA-256', joiner: ':', encoding: 'hex' },
      ({ pathname, searchParams }, { method }) =>
        method === 'GET' && pathname.endsWith('/status') && !searchParams.has('event')
          ? answer(400, { error: 'validation_error', message: 'No event.', details: [] })
          : undefined,
    ],
    'that forbids the leads of others': [
      'other_advertiser',
      'http_403',
      (url, init, pass) =>
        pass(url.href, init).then(reply => (reply.status === 404 ? answer(403, { error: 'x', message: 'm' }) : reply)),
    ],
    'that keeps letters apart by their case': [
      'email_letter_case',
      'kept_apart',
      (url, init, pass) =>
        holds(init, '@EXAMPLE.COM')
          ? pass(url.href, { ...init, body: String(init.body).replace('@EXAMPLE.COM', '@other.example.com') })
          : undefined,
    ],
    'that records by HEAD': [
      'pixel_head',
      'records',
      (url, init, pass) => (init.method === 'HEAD' ? pass(url.href, { ...init, method: 'GET' }) : undefined),
    ],
    'that reads a hundred thousand bytes': [
      'body_limit',
      '65536..131072',
      (_url, init) => (String(init.body).length > 100_000 ? answer(413, { error: 'x', message: 'm' }) : undefined),
    ],
    'that hangs up on what is too large': [
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
