import { basePath, rejectionReasons } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { replies, resets, type Step, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AbortedError, BadRequestError, ConfigError, OutcomeUnknownError, ValidationError } from '../index.ts'
import { validateLead } from '../lead/validate-lead.ts'
import { sampleLead } from './leads.fixture.ts'
import { createPublisher, type SubmitOptions } from './publisher.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const redirect_url = 'https://advertiser.example/apply?lead=~a%20b=='

async function submit(step: Step, options: SubmitOptions = {}) {
  const { baseUrl } = await startFaultServer(step)
  return createPublisher({ baseUrl, apiKey: 'sandbox_key', maxRetries: 0 }).submit(sampleLead(), options)
}

it('sends the lead unchanged, with the key in a header and nothing added', async () => {
  const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
  const lead = { ...sampleLead(), tracking: { click_id: 'c-1' } }
  await createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key' }).submit(lead)
  const [request] = server.reached
  expect(request).toMatchObject({
    method: operations.submitLead.methods[0],
    url: basePath + operations.submitLead.path,
  })
  expect(request?.headers).toMatchObject({ apikey: 'sandbox_key', 'content-type': 'application/json' })
  expect(JSON.parse(request?.body ?? '')).toEqual(lead)
})

describe('the outcome', () => {
  it('is distributed, with the redirect URL as received', async () => {
    const result = await submit(replies(200, { lead_id, status: 'distributed', redirect_url, rejection_reason: null }))
    expect(result).toMatchObject({ outcome: 'distributed', lead_id, redirect_url })
    expect(result.meta).toMatchObject({ status: 200, attempts: 1, callId: expect.any(String), ms: expect.any(Number) })
    expect('raw' in result && result.raw).toEqual({
      lead_id,
      status: 'distributed',
      redirect_url,
      rejection_reason: null,
    })
  })

  it('is new', async () => {
    const result = await submit(replies(200, { lead_id, status: 'new', redirect_url: null }))
    expect(result).toMatchObject({ outcome: 'new', lead_id })
    expect(result).not.toHaveProperty('redirect_url')
  })

  it.each(['new', 'rejected', 'queued'])(
    'of the status %s has the lead id in lower case, like callbacks',
    async status => {
      expect(await submit(replies(200, { lead_id: lead_id.toUpperCase(), status }))).toMatchObject({ lead_id })
    },
  )

  it('keeps an id that is not a UUID as received', async () => {
    expect(await submit(replies(200, { lead_id: 'Lead-1', status: 'new' }))).toMatchObject({ lead_id: 'Lead-1' })
  })

  it.each([...rejectionReasons, 'a_reason_of_tomorrow'])('is rejected: %s', async rejection_reason => {
    expect(await submit(replies(200, { status: 'rejected', rejection_reason }))).toMatchObject({
      outcome: 'rejected',
      lead_id: null,
      rejection_reason,
      via: 'http_200',
      possiblyOwnLead: false,
    })
  })

  it.each(['consents_missing', 'invalid_product'])('is rejected for a 422 with the error %s', async error => {
    const result = await submit(replies(422, { error, message: 'no' }))
    expect(result).toMatchObject({ outcome: 'rejected', lead_id: null, rejection_reason: error, via: 'http_422' })
    expect(result.meta.status).toBe(422)
  })

  it.each([
    [{ lead_id, status: 'queued' }, 'queued'],
    [{ lead_id, status: 'distributed' }, 'distributed'],
    [{ lead_id, status: 'distributed', redirect_url: 'javascript:alert(1)' }, 'distributed'],
    [{ lead_id, status: 'distributed', redirect_url: 'https://user:pw@a.example/' }, 'distributed'],
    [{ lead_id, status: 'distributed', redirect_url: 'ftp://a.example/' }, 'distributed'],
    [{ lead_id, status: 'distributed', redirect_url: '/apply' }, 'distributed'],
    [{ status: 'distributed', redirect_url }, 'distributed'],
    [{ status: 'new' }, 'new'],
    [{ lead_id }, null],
    [{}, null],
  ])('is unrecognized: %o', async (body, status) => {
    expect(await submit(replies(200, body))).toMatchObject({ outcome: 'unrecognized', status, raw: body })
  })
})

describe('a resubmission', () => {
  const exists = replies(200, { status: 'rejected', rejection_reason: 'customer_already_exists' })

  it('reports a possible own lead if the customer exists after a lost reply', async () => {
    const { baseUrl, reached } = await startFaultServer(resets, exists)
    const publisher = createPublisher({ baseUrl, apiKey: 'sandbox_key' })
    expect(await publisher.submit(sampleLead())).toMatchObject({ outcome: 'unknown' })
    expect(await publisher.submit(sampleLead(), { resubmission: true })).toMatchObject({ possiblyOwnLead: true })
    expect(reached).toHaveLength(2)
  })

  it('reports no own lead for another reason, or on the first submission', async () => {
    const other = replies(200, { status: 'rejected', rejection_reason: 'duplicate_submission' })
    expect(await submit(other, { resubmission: true })).toMatchObject({ possiblyOwnLead: false })
    expect(await submit(exists)).toMatchObject({ possiblyOwnLead: false })
    expect(await submit(exists, { resubmission: undefined })).toMatchObject({ possiblyOwnLead: false })
  })

  it.each(['yes', 1, null, {}])('accepts only true or false, not %o', async resubmission => {
    const server = await startFaultServer(exists)
    const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key' })
    const error = await publisher.submit(sampleLead(), { resubmission: resubmission as never }).catch(e => e)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toBe('`resubmission` must be true or false.')
    expect(server.reached).toHaveLength(0)
  })
})

describe('an existing customer', () => {
  afterEach(() => vi.unstubAllGlobals())
  const exists = { status: 'rejected', rejection_reason: 'customer_already_exists' }
  const fetch = async () => Response.json(exists)
  const outcomeOn = async (globals: object, options: object = {}) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    const publisher = createPublisher({
      baseUrl: 'http://127.0.0.1:4010',
      apiKey: 'sandbox_key',
      dangerouslyAllowBrowser: true,
      ...options,
    })
    const result = await publisher.submit(sampleLead())
    return result.outcome === 'rejected' && result.possiblyOwnLead
  }

  it.each<[object, boolean]>([
    [{ navigator: { userAgent: 'Node.js/24' } }, false],
    [{ navigator: undefined }, false],
    [{ navigator: { userAgent: 'Mozilla/5.0 (linux) jsdom/26' }, window: { document: {} } }, false],
    [{ navigator: { userAgent: 'Bun/1.4.5' } }, false],
    [{ navigator: { userAgent: 'Cloudflare-Workers' }, process: undefined }, false],
    [{ navigator: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }, process: undefined }, true],
    [{ navigator: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }, process: { env: {}, versions: {} } }, true],
    [{ process: { versions: { node: '24.0.0', electron: '40.0.0' } } }, true],
    [{ navigator: { userAgent: 'Deno/2.9.6' }, Deno: {} }, true],
    [{ navigator: { userAgent: 'Tomorrow/1' }, process: undefined }, true],
    [{ navigator: undefined, process: undefined }, true],
  ])('may be your own lead if the runtime may send requests twice: on %o, %s', async (globals, own) => {
    expect(await outcomeOn(globals, { fetch })).toBe(own)
  })

  it('is not your own lead after a 429 or 421, which prove that nothing was processed', async () => {
    for (const status of [429, 421]) {
      const server = await startFaultServer(replies(status, {}, { 'retry-after': '0' }), replies(200, exists))
      const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key' })
      expect(await publisher.submit(sampleLead())).toMatchObject({ possiblyOwnLead: false })
      expect(server.reached).toHaveLength(2)
    }
  })

  it('is not your own lead on Deno over http, unless `fetch` is custom, because the client keeps no idle connections', async () => {
    const clients: unknown[] = []
    const closed: unknown[] = []
    const createHttpClient = (options: unknown) => {
      const client = { options, close: () => void closed.push(client) }
      clients.push(client)
      return client
    }
    vi.stubGlobal('Deno', { createHttpClient })
    const used: unknown[] = []
    vi.stubGlobal('fetch', async (_url: string, init: { client?: unknown }) => {
      used.push(init.client)
      return Response.json(exists)
    })
    expect(await outcomeOn({ navigator: { userAgent: 'Deno/2.9.6' } })).toBe(false)
    expect(used).toEqual([expect.objectContaining({ options: { poolMaxIdlePerHost: 0 } })])
    expect([used, closed]).toEqual([clients, clients])
    // Over https it may use HTTP/2, which resends a stream that the server refuses.
    const overTls = { baseUrl: 'https://sandbox.example.com/api/v1' }
    expect(await outcomeOn({ navigator: { userAgent: 'Deno/2.9.6' } }, overTls)).toBe(true)
    expect(await outcomeOn({ navigator: { userAgent: 'Deno/2.9.6' } }, { fetch })).toBe(true)
  })
})

it('throws any other 422 as a bad request', async () => {
  const error = await submit(replies(422, { error: 'publisher_mismatch', message: '' })).then(null, reason => reason)
  expect(error).toBeInstanceOf(BadRequestError)
  expect(error).toMatchObject({ error: 'publisher_mismatch', details: [], meta: { status: 422 } })
})

it.each([
  ['publisher', 'publisher_mismatch'],
  ['publisher_mismatch', 'publisher_mismatch'],
  ['Publisher', 'publisher_inactive'],
  ['blacklisted', 'blacklisted'],
  ['media', 'unsupported_media_type'],
  ['allowed here', 'method_not_allowed'],
])("exposes the service's error code even if the lead contains the word %s: %s", async (sub_id, error) => {
  const { baseUrl } = await startFaultServer(replies(422, { error, message: '' }))
  const publisher = createPublisher({ baseUrl, apiKey: 'sandbox_key' })
  const thrown = await publisher.submit({ ...sampleLead(), tracking: { sub_id } }).then(null, reason => reason)
  expect(thrown).toMatchObject({ error, message: expect.stringContaining(`(422, ${error})`) })
})

it('names the fields that the service reports, but hides a code that repeats personal data', async () => {
  const submitWith = async (sub_id: string, body: object) => {
    const { baseUrl } = await startFaultServer(replies(400, body))
    const publisher = createPublisher({ baseUrl, apiKey: 'sandbox_key' })
    return publisher.submit({ ...sampleLead(), tracking: { sub_id } }).then(null, reason => reason)
  }
  const details = [{ field: 'publisher_id', issue: 'is unknown' }]
  const named = await submitWith('publisher', { error: 'validation_error', details })
  expect(named.message).toContain('Correct publisher_id')
  expect(await submitWith('hunter', { error: 'no_such_hunter' })).toMatchObject({ error: null })
  expect(await submitWith('publisher hunter', { error: 'publisher_hunter' })).toMatchObject({ error: null })
})

it('ignores later changes to the option objects', async () => {
  const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
  const headers: Record<string, string> = { 'x-sandbox-scenario': 'new' }
  const baseUrl = new URL(server.baseUrl)
  const publisher = createPublisher({ baseUrl, apiKey: 'sandbox_key', headers })
  Object.assign(headers, { 'x-sandbox-scenario': 'rejected', 'x-more': '1', host: 'evil.example' })
  baseUrl.host = 'evil.example'
  for (const client of [publisher, publisher.withOptions({ maxRetries: 0 })]) await client.submit(sampleLead())
  expect(server.reached.map(({ headers }) => [headers['x-sandbox-scenario'], headers['x-more']])).toEqual(
    Array.from({ length: 2 }, () => ['new', undefined]),
  )
})

describe('validates what is sent for a lead that is not a plain object:', () => {
  class Lead {
    readonly #lead = sampleLead()
    get product_id() {
      return this.#lead.product_id
    }
    get publisher_id() {
      return this.#lead.publisher_id
    }
    get customer() {
      return this.#lead.customer
    }
    get product_data() {
      return this.#lead.product_data
    }
    get consents() {
      return this.#lead.consents
    }
  }
  class Money {
    toJSON() {
      return 5000
    }
  }
  const withBirthday = (birthday: unknown) => {
    const lead = sampleLead()
    Object.assign(lead.customer.personal_data, { birthday })
    return lead
  }
  const accepted = () => {
    const lead = sampleLead()
    for (const entry of lead.consents.entries) Object.assign(entry, { accepted_at: new Date(0) })
    return lead
  }

  it.each<[string, object, string[]]>([
    ['getters of a class', new Lead(), ['product_id', 'publisher_id', 'customer', 'product_data', 'consents']],
    [
      'inherited fields',
      Object.create(sampleLead()),
      ['product_id', 'publisher_id', 'customer', 'product_data', 'consents'],
    ],
    ['a toJSON method', { toJSON: sampleLead }, []],
    [
      'a nested toJSON method',
      { ...sampleLead(), product_data: { ...sampleLead().product_data, loan_amount: new Money() } },
      [],
    ],
    ['a Date in place of a time', accepted(), []],
    ['a Date in place of a date', withBirthday(new Date(0)), ['customer.personal_data.birthday']],
    ['an invalid Date', withBirthday(new Date(Number.NaN)), ['customer.personal_data.birthday']],
    ['a boxed string', { ...sampleLead(), product_id: Object(sampleLead().product_id) }, []],
    [
      'a Map',
      { ...sampleLead(), customer: new Map(Object.entries(sampleLead().customer)) },
      ['customer.personal_data', 'customer.contact'],
    ],
    ['a function', { ...sampleLead(), customer: () => {} }, ['customer']],
    ['a symbol', { ...sampleLead(), product_id: Symbol('p') }, ['product_id']],
    ['a bigint', { ...sampleLead(), extra: 1n }, ['body']],
    [
      'a getter that throws',
      Object.defineProperty(sampleLead(), 'tracking', { enumerable: true, get: () => JSON.parse('x') }),
      ['body'],
    ],
    [
      'a throwing getter that is not enumerable',
      Object.defineProperty(sampleLead(), 'hidden', { get: () => JSON.parse('x') }),
      [],
    ],
  ])('%s', async (_name, lead, fields) => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
    const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key' })
    const submitted = await publisher.submit(lead as never).then(
      () => [],
      error => error.issues,
    )
    const { issues = [] } = validateLead(lead)
    expect(issues).toEqual(submitted)
    expect(issues.map(({ field }) => field)).toEqual(fields)
    expect(server.reached).toHaveLength(fields.length === 0 ? 1 : 0)
  })
})

describe('validation before sending', () => {
  const wrong = () => ({ ...sampleLead(), product_id: 'p' })

  it('rejects a lead that the service would refuse, with all issues at once', async () => {
    const server = await startFaultServer(replies(200, {}))
    const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key' })
    const error = await publisher.submit({ ...wrong(), publisher_id: '' }).then(null, reason => reason)
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.issues.map((issue: { field: string }) => issue.field)).toEqual(['product_id', 'publisher_id'])
    expect(error.message).toBe('Nothing was sent: correct product_id, publisher_id. See `issues`.')
    expect(server.reached).toHaveLength(0)
  })

  it('can be turned off', async () => {
    const server = await startFaultServer(replies(200, {}))
    await createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key', validate: false }).submit(wrong())
    expect(server.reached).toHaveLength(1)
  })

  it('reports a value that JSON cannot represent as an issue, without repeating data', async () => {
    const publisher = createPublisher({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sandbox_key', validate: false })
    const lead = Object.assign(sampleLead(), { 'ana@example.com': 1n })
    const error = await publisher.submit(lead).then(null, reason => reason)
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.stack).not.toContain('ana@')
  })

  it('applies to the JSON of a lead with a toJSON method', async () => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
    const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key' })
    const good = { hidden: 1, toJSON: sampleLead }
    await publisher.submit(good as never)
    expect(JSON.parse(server.reached[0]?.body ?? '')).toEqual(sampleLead())
    const bad = { ...sampleLead(), toJSON: () => wrong() }
    await expect(publisher.submit(bad)).rejects.toThrow(ValidationError)
    expect(server.reached).toHaveLength(1)
  })

  it.each([
    ['nothing', undefined, false],
    [
      'a getter that throws',
      Object.defineProperty(sampleLead(), 'customer', { get: () => fail(), enumerable: true }),
      true,
    ],
  ] as const)('reports %s as an issue too', async (_name, lead, validate) => {
    const publisher = createPublisher({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sandbox_key', validate })
    const error = await publisher.submit(lead as never).then(null, reason => reason)
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.stack).not.toContain('ana@')
  })
})

function fail(): never {
  throw new Error('ana@example.com')
}

describe('a client with other options', () => {
  it('keeps the options that are not set, and leaves the original client unchanged', async () => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
    const headers = { 'x-a': 'client', 'x-b': 'client' }
    const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key', headers })
    const other = publisher.withOptions({ apiKey: 'sandbox_other', validate: false, headers: { 'X-B': 'other' } })
    await other.submit({ ...sampleLead(), product_id: 'p' })
    await publisher.submit(sampleLead())
    await expect(publisher.submit({ ...sampleLead(), product_id: 'p' })).rejects.toThrow(ValidationError)
    const reached = server.reached.map(({ headers }) => [headers.apikey, headers['x-a'], headers['x-b']])
    expect(reached).toEqual([
      ['sandbox_other', 'client', 'other'],
      ['sandbox_key', 'client', 'client'],
    ])
  })

  it('is validated like a new one', () => {
    const publisher = createPublisher({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sandbox_key' })
    expect(() => publisher.withOptions({ timeoutMs: -1 })).toThrow(ConfigError)
    expect(() => publisher.withOptions({ validate: 'no' as never })).toThrow('`validate` must be true or false.')
  })
})

describe('the outcome is unknown', () => {
  const unknown = (status: number | null) => ({
    outcome: 'unknown',
    error: expect.any(OutcomeUnknownError),
    meta: expect.objectContaining({ status, attempts: 1 }),
  })

  it.each<[string, Step, number | null]>([
    ['the connection is reset', resets, null],
    ['the service responds 503', replies(503, { error: 'overloaded', message: '' }), 503],
    ['a proxy times out', replies(504, '<html>'), 504],
    ['a 200 is not JSON', replies(200, '<html>'), 200],
  ])('if %s: returned, not thrown, with the call id', async (_name, step, status) => {
    const result = await submit(step)
    expect(result).toEqual(unknown(status))
    if (result.outcome !== 'unknown') return expect.unreachable()
    expect(result.error).toMatchObject({ callId: result.meta.callId, at: expect.stringMatching(/Z$/), sent: 'maybe' })
    expect(result.error.message).toContain('submit it again with `resubmission: true`')
    expect(result).not.toHaveProperty('redirect_url')
  })

  it('but an abort is thrown, and states if the lead may exist', async () => {
    const gone = new AbortController()
    const aborted = await submit(() => gone.abort(), { signal: gone.signal }).catch(error => error)
    expect(aborted).toBeInstanceOf(AbortedError)
    expect(aborted).toMatchObject({ sent: 'maybe' })
    const before = await submit(resets, { signal: AbortSignal.abort() }).catch(error => error)
    expect(before).toMatchObject({ code: 'aborted', sent: 'no' })
  })
})

describe('the environment', () => {
  afterEach(() => vi.unstubAllEnvs())
  const bodyOf = (server: { reached: { body: string }[] }, index = 0) => JSON.parse(server.reached[index]?.body ?? '{}')

  it('provides address, key and publisher to a client without options', async () => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
    const publisher_id = '22222222-2222-4222-8222-222222222222'
    vi.stubEnv('LEAD_BASE_URL', server.baseUrl)
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', 'sandbox_env')
    vi.stubEnv('PUBLISHER_ID', publisher_id)
    const { publisher_id: _, ...lead } = sampleLead()
    expect(await createPublisher().submit(lead)).toMatchObject({ outcome: 'new' })
    expect(server.reached[0]?.headers.apikey).toBe('sandbox_env')
    expect(bodyOf(server)).toEqual({ ...lead, publisher_id })
  })

  it('is overridden by the option, and both by the lead', async () => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
    vi.stubEnv('PUBLISHER_ID', crypto.randomUUID())
    const publisherId = crypto.randomUUID()
    const publisher = createPublisher({ baseUrl: server.baseUrl, apiKey: 'sandbox_key', publisherId })
    const { publisher_id, ...lead } = sampleLead()
    await publisher.submit(lead)
    await publisher.submit(sampleLead())
    expect([0, 1].map(index => bodyOf(server, index).publisher_id)).toEqual([publisherId, publisher_id])
  })

  it('may lack the publisher id: the lead must have one, unless validation is off', async () => {
    vi.stubEnv('PUBLISHER_ID', '')
    const server = await startFaultServer(replies(200, { lead_id, status: 'new' }))
    const shared = { baseUrl: server.baseUrl, apiKey: 'sandbox_key' }
    const { publisher_id: _, ...lead } = sampleLead()
    await expect(createPublisher(shared).submit(lead)).rejects.toMatchObject({
      issues: [{ field: 'publisher_id', issue: 'is required' }],
    })
    await createPublisher({ ...shared, validate: false }).submit(lead)
    expect(bodyOf(server)).toEqual(lead)
  })

  it.each(['', 7, null])('does not replace an invalid publisher id: %j', publisherId => {
    expect(() => createPublisher({ baseUrl: 'http://127.0.0.1:9', publisherId: publisherId as never })).toThrow(
      '`publisherId` must be a UUID.',
    )
  })
})

it('creates a client that tests can spy on', async () => {
  const publisher = createPublisher({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sandbox_key' })
  const submit = vi.spyOn(publisher, 'submit').mockResolvedValue({ outcome: 'new' } as never)
  expect(await publisher.submit(sampleLead())).toEqual({ outcome: 'new' })
  expect(submit).toHaveBeenCalledOnce()
})
