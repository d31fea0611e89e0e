import { basePath, keyHeader } from '@lead-distribution/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ApiKey, keySource } from './api-key.ts'
import { type ClientOptions, changedOptions, createHttpClient, resolveLimits } from './client.ts'
import { ConfigError } from './errors.ts'
import { replies, startFaultServer, submitCall } from './fault-server.fixture.ts'
import type { ServiceAddress } from './service-address.ts'

const production = 'https://acme.example.com/api/v1'
const create = (options: object) =>
  createHttpClient({ apiKey: 'k', ...options } as ClientOptions & ServiceAddress, 'LEAD_PUBLISHER_API_KEY')

/** The URL and the key that a client sends, without a network. */
async function sent(options: object) {
  const seen: { url?: string; key?: string | null } = {}
  const fetch = async (url: string, init: RequestInit) => {
    seen.url = url
    seen.key = new Headers(init.headers).get(keyHeader)
    return Response.json({ status: 'new' })
  }
  await create({ fetch, ...options }).call(submitCall)
  return seen
}

afterEach(() => vi.unstubAllEnvs())

describe('the address', () => {
  it('is the base URL, with or without a trailing slash', async () => {
    expect((await sent({ baseUrl: production })).url).toBe(`${production}/lead`)
    expect((await sent({ baseUrl: `${production}/` })).url).toBe(`${production}/lead`)
    expect((await sent({ baseUrl: 'http://localhost:1' })).url).toBe('http://localhost:1/lead')
  })

  it('may be a URL object, read immediately', async () => {
    const baseUrl = new URL(`${production}/`)
    const client = create({ baseUrl })
    baseUrl.host = 'evil.example'
    expect(client.baseUrl).toBe(production)
  })

  it('may be built from the tenant and the domain', async () => {
    const { url } = await sent({ tenant: 'acme', serviceDomain: 'example.com' })
    expect(url).toBe(`https://acme.example.com${basePath}/lead`)
  })

  it.each([
    { tenant: 'acme' },
    { tenant: 'acme.evil', serviceDomain: 'example.com' },
    { tenant: 'acme', serviceDomain: 'example.com/x' },
    { baseUrl: production, tenant: 'acme', serviceDomain: 'example.com' },
    { baseUrl: 'acme.example.com' },
    { baseUrl: null },
    { baseUrl: 7 },
    { baseUrl: new URL('https://user:hunter2@acme.example.com') },
    { baseUrl: 'ftp://acme.example.com' },
    { baseUrl: 'https://user:hunter2@acme.example.com' },
    { baseUrl: `${production}?apikey=hunter2` },
    { baseUrl: `${production}#x` },
    { baseUrl: 'http://acme.example.com/api/v1' },
    { baseUrl: 'https://sandbox.example.com/api/v1', environment: 'production' },
  ])('is refused if it is %o, without being repeated', options => {
    expect(() => create(options)).toThrow(ConfigError)
    expect(() => create(options)).not.toThrow(/hunter2/)
  })

  it.each([
    `${production}/lead`,
    `${production}/lead/`,
    new URL(`${production}/lead`),
    'http://localhost:1/lead',
    `${production}/lead/3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11/status`,
    `${production}/lead/:lead_id/status`,
  ])('is refused if it ends in an endpoint: %s', baseUrl => {
    expect(() => create({ baseUrl })).toThrow(
      '`baseUrl` must end before the endpoint: remove `/lead` and everything after it.',
    )
  })

  it.each(['https://leads.example/leads', 'https://leads.example/lead/api/v1'])(
    "may contain an endpoint's name elsewhere: %s",
    baseUrl => {
      expect(create({ baseUrl }).baseUrl).toBe(baseUrl)
    },
  )

  it('comes from the environment if no other is given', async () => {
    vi.stubEnv('LEAD_BASE_URL', `${production}/`)
    expect((await sent({})).url).toBe(`${production}/lead`)
    expect((await sent({ baseUrl: undefined })).url).toBe(`${production}/lead`)
    expect((await sent({ baseUrl: 'http://localhost:1' })).url).toBe('http://localhost:1/lead')
    expect((await sent({ tenant: 'acme', serviceDomain: 'example.com' })).url).toBe(
      `https://acme.example.com${basePath}/lead`,
    )
  })

  it.each([undefined, ''])('is missing if the environment has %j', value => {
    vi.stubEnv('LEAD_BASE_URL', value)
    expect(() => create({})).toThrow('The address of the service is missing. Set `baseUrl` or LEAD_BASE_URL')
  })

  it('is reported as empty if it is, as with an unset environment variable', () => {
    expect(() => create({ baseUrl: '' })).toThrow(/`baseUrl` is empty/)
  })
})

describe('the key', () => {
  it('may be a text, or a function that returns it on each call', async () => {
    expect((await sent({ baseUrl: production, apiKey: 'text' })).key).toBe('text')
    const keys = ['first', 'second']
    const apiKey = async () => keys.shift() as string
    expect((await sent({ baseUrl: production, apiKey })).key).toBe('first')
    expect((await sent({ baseUrl: production, apiKey })).key).toBe('second')
  })

  it('is read from the environment on the first call, not before', async () => {
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', '')
    const keys: (string | null)[] = []
    const fetch = async (_url: string, init: RequestInit) => {
      keys.push(new Headers(init.headers).get(keyHeader))
      return Response.json({})
    }
    const client = create({ baseUrl: production, apiKey: undefined, fetch })
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', 'from-environment')
    await client.call(submitCall)
    expect(keys).toEqual(['from-environment'])
  })

  it('is missing if it is null, regardless of the environment', async () => {
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', 'from-environment')
    await expect(sent({ baseUrl: production, apiKey: null })).rejects.toThrow('The API key is missing')
  })

  it.each<ApiKey>([
    '',
    'hunter2\n',
    'hunter2 ',
    'hunter2ñ',
    () => Promise.reject(new Error('hunter2')),
    () => undefined as never,
  ])('is refused before anything is sent if it is %o, without being repeated', async apiKey => {
    const server = await startFaultServer(replies(200, {}))
    const error = await create({ baseUrl: server.baseUrl, apiKey })
      .call(submitCall)
      .then(null, reason => reason)
    expect(ConfigError.is(error)).toBe(true)
    expect(String(error.stack)).not.toContain('hunter2')
    expect(server.reached).toHaveLength(0)
  })

  it.each([
    [production, undefined, false],
    ['https://sandboxes.example.com', undefined, false],
    ['http://127.0.0.1:9', 'production', false],
    ['https://lead-sandbox.internal', 'sandbox', true],
    ['http://lead-sandbox:4010', 'sandbox', true],
    ['https://sandbox.example.com/api/v1', undefined, true],
    ['http://sandbox:4010/api/v1', undefined, true],
    ['http://127.0.0.1:9/api/v1', undefined, true],
    ['http://localhost:9', undefined, true],
    ['http://[::1]:9', undefined, true],
  ])('of the sandbox may be sent to %s (environment %s): %s', async (baseUrl, environment, goes) => {
    const sending = sent({ baseUrl, apiKey: 'sandbox_hunter2', environment })
    if (goes) expect((await sending).key).toBe('sandbox_hunter2')
    else await expect(sending).rejects.toThrow(/^A sandbox key does not belong in production(?!.*hunter2)/)
  })

  it.each([
    ['https://sandbox.example.com/api/v1', undefined, false],
    ['http://sandbox:4010/api/v1', undefined, false],
    ['https://sandbox.example.com/api/v1', 'sandbox', true],
    ['https://lead-sandbox.internal', 'sandbox', true],
    ['http://127.0.0.1:9', undefined, true],
    ['http://sandbox.localhost:9', undefined, true],
    ['https://sandboxes.example.com', undefined, true],
    ['https://acme.example.com/api/v1', 'production', true],
  ])('of another form may be sent to %s (environment %s): %s', async (baseUrl, environment, goes) => {
    const sending = sent({ baseUrl, apiKey: 'hunter2', environment })
    if (goes) expect((await sending).key).toBe('hunter2')
    else
      await expect(sending).rejects.toThrow(/^A production key does not belong in the sandbox.*"sandbox"(?!.*hunter2)/)
  })

  it('of another form is also refused at the sandbox that its tenant names', async () => {
    const address = { tenant: 'sandbox', serviceDomain: 'example.com' }
    await expect(sent({ ...address, apiKey: 'k' })).rejects.toThrow('A production key does not belong')
    expect((await sent({ ...address, apiKey: 'sandbox_k' })).url).toBe(`https://sandbox.example.com${basePath}/lead`)
  })

  it("is missing if the environment can't be read", async () => {
    const refusing = Object.create(process, { env: { get: () => expect.fail('Requires env access.') } })
    vi.stubGlobal('process', refusing)
    const asked = sent({ baseUrl: production, apiKey: undefined })
    await expect(asked.finally(vi.unstubAllGlobals)).rejects.toThrow('The API key is missing')
  })

  it.each<[ApiKey | undefined, string]>([
    [undefined, 'The API key is missing. Set `apiKey` or LEAD_PUBLISHER_API_KEY.'],
    [null, 'The API key is missing. Set `apiKey`.'],
    [() => 7 as never, 'The API key is missing. Set `apiKey` or LEAD_PUBLISHER_API_KEY.'],
    ['two words', 'The API key must be printable ASCII without spaces.'],
    [() => Promise.reject(new Error('hunter2')), 'The `apiKey` function failed. Check where it gets the key.'],
  ])('gets an error that says what to do if it is %o', async (apiKey, message) => {
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', undefined)
    await expect(sent({ baseUrl: production, apiKey })).rejects.toThrow(expect.objectContaining({ message }))
  })

  it.each([undefined, {}])("is missing if the runtime's process is %o", process => {
    vi.stubGlobal('process', process)
    const asked = () => keySource(undefined, 'LEAD_PUBLISHER_API_KEY', () => {})()
    try {
      expect(asked).toThrow('The API key is missing')
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('is used without reading the environment, for which a runtime may prompt its user', () => {
    let wasRead = false
    vi.stubGlobal('process', {
      get env() {
        wasRead = true
        return {}
      },
    })
    try {
      expect(keySource('k', 'LEAD_PUBLISHER_API_KEY', () => {})()).toBe('k')
    } finally {
      vi.unstubAllGlobals()
    }
    expect(wasRead).toBe(false)
  })

  it('is read from the environment again if it was empty there', async () => {
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', '')
    const client = create({ baseUrl: production, apiKey: undefined, fetch: async () => Response.json({}) })
    await expect(client.call(submitCall)).rejects.toThrow('The API key is missing')
    vi.stubEnv('LEAD_PUBLISHER_API_KEY', 'from-environment')
    expect((await client.call(submitCall)).status).toBe(200)
  })
})

describe('a browser', () => {
  afterEach(() => vi.unstubAllGlobals())

  const browser = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }

  it.each<[string, object]>([
    ['a page', { window: { document: {} }, navigator: browser, process: undefined }],
    [
      'a page built by a bundler that polyfills Node',
      { window: { document: {} }, navigator: browser, process: { env: {}, versions: {} } },
    ],
    [
      'a page in a browser with an unusual user agent',
      { window: { document: {} }, navigator: { userAgent: 'Lynx' }, process: undefined },
    ],
    ['a worker', { window: undefined, navigator: browser, process: undefined }],
  ])('is refused unless explicitly allowed: %s', (_name, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(() => create({ baseUrl: production })).toThrow('does not belong in a browser')
    expect(() => create({ baseUrl: production, dangerouslyAllowBrowser: true })).not.toThrow()
  })

  it.each<[string, object]>([
    ['jsdom, on Node', { window: { document: {} }, navigator: browser }],
    ['an edge runtime', { window: undefined, navigator: { userAgent: 'Cloudflare-Workers' }, process: undefined }],
    ['an old Deno, with a window', { window: {}, navigator: { userAgent: 'Deno/1.46' }, process: undefined }],
  ])('is not %s', (_name, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(() => create({ baseUrl: production })).not.toThrow()
  })
})

it.each([
  { timeoutMs: Number.NaN },
  { timeoutMs: 1e12 },
  { maxRetries: -1 },
  { timeoutMs: Number.POSITIVE_INFINITY },
  { deadlineMs: Number.NaN },
  { timeoutMs: '5' },
  { deadlineMs: '5' },
  { maxRetries: '1' },
  { keepAlive: 'no' },
  { fetch: 'node-fetch' },
  { onEvent: console },
  { environment: 'staging' },
])('refuses the option %o', limits => expect(() => create({ baseUrl: production, ...limits })).toThrow(ConfigError))

it.each([{ timeoutMs: 0 }, { timeoutMs: '5' }, { deadlineMs: '5' }, { signal: new AbortController() }])(
  'refuses the call option %o before anything is sent',
  async options => {
    const server = await startFaultServer(replies(200, {}))
    await expect(create({ baseUrl: server.baseUrl }).call({ ...submitCall, options } as never)).rejects.toThrow(
      ConfigError,
    )
    expect(server.reached).toHaveLength(0)
  },
)

it('ignores changes to the options after the client was created', async () => {
  const server = await startFaultServer(replies(429, {}, { 'retry-after': '0' }), replies(200, {}))
  const options: Record<string, unknown> = { baseUrl: server.baseUrl, apiKey: 'first', maxRetries: 1 }
  const client = create(options)
  Object.assign(options, { apiKey: 'second', baseUrl: production, maxRetries: 0, fetch: () => expect.unreachable() })
  await client.call(submitCall)
  expect(server.reached.map(({ headers }) => headers.apikey)).toEqual(['first', 'first'])
})

it('accepts undefined for every option', async () => {
  const names = [
    'tenant',
    'serviceDomain',
    'environment',
    'timeoutMs',
    'deadlineMs',
    'maxRetries',
    'onEvent',
    'keepAlive',
  ]
  const unset = Object.fromEntries(names.map(name => [name, undefined]))
  expect((await sent({ ...unset, baseUrl: production })).key).toBe('k')
})

it.each([
  { tenant: 5, serviceDomain: 'leads.example' },
  { tenant: 'acme', serviceDomain: 5 },
])('refuses %o, which is not a text', address => expect(() => create(address)).toThrow('`tenant` must be one label'))

it.each([
  [{ timeoutMs: 0 }, '`timeoutMs` must be a number of milliseconds from 1 to 2147483647.'],
  [{ deadlineMs: -1 }, '`deadlineMs` must be a positive number of milliseconds.'],
  [{ maxRetries: 0.5 }, '`maxRetries` must be an integer of at least 0.'],
  [{ signal: {} as AbortSignal }, '`signal` must be an AbortSignal.'],
])('explains the error in the limits %o', (limits, message) => {
  expect(() => resolveLimits({}, limits)).toThrow(new ConfigError(message))
})

it('changes only the given options, and only the given headers', () => {
  const options = { timeoutMs: 1, maxRetries: 2, headers: { a: '1', b: '2' } }
  const changed = changedOptions(options, { maxRetries: 3, headers: { b: '3', c: '4' } })
  expect(changed).toEqual({ timeoutMs: 1, maxRetries: 3, headers: { a: '1', b: '3', c: '4' } })
  expect(changedOptions(options, {})).toEqual(options)
})
