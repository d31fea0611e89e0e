import { inspect } from 'node:util'
import { docUrl } from '@lead-distribution/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CallEvent } from './call.ts'
import { createHttpClient } from './client.ts'
import {
  AbortedError,
  AuthError,
  BadRequestError,
  ConfigError,
  LeadSdkError,
  NotSentError,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.ts'
import { refusedBaseUrl, resets, type Step, stallsBody, startFaultServer, submitCall } from './fault-server.fixture.ts'

const secrets = { key: 'sandbox_hunter2', token: 'token_4711', email: 'ana@example.com' }
const leak = new RegExp(Object.values(secrets).join('|'))

/** A worst-case server: it echoes everything that it received in its headers, error code, message and details. */
const echoes =
  (status: number): Step =>
  (response, { url, headers, body }) => {
    const parts = [String(headers.apikey), url, url.split('token=').at(-1) ?? '', body.replace(/\W/g, '')]
    const all = `${url} ${headers.apikey} ${body}`
    response.writeHead(status, {
      location: url,
      'x-echo': all,
      'x-request-id': parts.join(),
      'set-cookie': all,
      'content-type': 'application/json',
    })
    const details = [
      { field: all, issue: all },
      { field: 'customer.contact.email.address', issue: all },
    ]
    response.end(JSON.stringify({ error: headers.apikey ?? parts[2], message: all, details }))
  }

/** Everything that a log could show of an error. */
const shown = (error: LeadSdkError) =>
  [
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    inspect({ ...error }, { depth: Number.POSITIVE_INFINITY }),
    JSON.stringify(error),
    JSON.stringify({ error }),
    error.message,
    error.stack,
    String(error),
    inspect(error.cause),
  ].join('\n')

describe('leaks no key, token or body', () => {
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())

  const steps: [string, Step][] = [
    ...[400, 401, 404, 422, 429, 500, 501, 503, 302, 308].map(
      status => [`an echo as ${status}`, echoes(status)] as [string, Step],
    ),
    [
      'an echo as 200 that is not JSON',
      (response, { headers, body }) => response.writeHead(200).end(`${headers.apikey}${body}`),
    ],
    ['a reset', resets],
    ['a stalled body', stallsBody],
  ]

  it.each([...steps, ['a refused connection', undefined] as const])('after %s', async (_name, step) => {
    const baseUrl = step ? (await startFaultServer(step)).baseUrl : await refusedBaseUrl()
    const events: CallEvent[] = []
    const client = createHttpClient(
      {
        baseUrl,
        apiKey: secrets.key,
        timeoutMs: 100,
        onEvent: event => events.push(event),
      },
      'LEAD_ADVERTISER_API_KEY',
    )
    const body = JSON.stringify({ email: secrets.email })
    for (const call of [
      { ...submitCall, body },
      {
        name: 'reportEvent',
        method: 'GET',
        to: { url: `${baseUrl}/lead/x?token=${secrets.token}` },
        withKey: false,
      },
    ] as const) {
      const error = await client.call(call).then(null, reason => reason)
      expect(LeadSdkError.is(error)).toBe(true)
      expect(shown(error)).not.toMatch(leak)
    }
    expect(JSON.stringify(events)).not.toMatch(leak)
    expect(inspect(client, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toMatch(leak)
  })

  it('from a custom fetch with an error that holds all of them', async () => {
    const fetch = (url: string, init: RequestInit) => Promise.reject(Object.assign(new Error(url), { init, url }))
    const options = { baseUrl: 'http://127.0.0.1:9', apiKey: secrets.key, fetch, maxRetries: 0 }
    const call = {
      name: 'reportEvent',
      method: 'GET',
      to: { url: `http://x/?token=${secrets.token}` },
      withKey: true,
    } as const
    const error = await createHttpClient(options, 'LEAD_ADVERTISER_API_KEY')
      .call(call)
      .then(null, reason => reason)
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(shown(error)).not.toMatch(leak)
  })

  it('but returns the details of a 400 to code that reads them', async () => {
    const { baseUrl } = await startFaultServer(echoes(400))
    const client = createHttpClient({ baseUrl, apiKey: secrets.key }, 'LEAD_PUBLISHER_API_KEY')
    const call = { ...submitCall, body: JSON.stringify({ email: secrets.email }) }
    const error = await client.call(call).then(null, reason => reason)
    expect(error.details.length).toBeGreaterThan(1)
    expect(error.message).toContain('Correct customer.contact.email.address')
  })
})

it('lists five fields by name, and counts the others', () => {
  const messageOf = (...fields: string[]) =>
    new ValidationError(fields.map(field => ({ field, issue: 'is required' }))).message
  const five = ['product_id', 'publisher_id', 'customer', 'product_data', 'consents']
  expect(messageOf(...five)).toBe(
    'Nothing was sent: correct product_id, publisher_id, customer, product_data, consents. See `issues`.',
  )
  expect(messageOf(...five, 'ref')).toContain('consents and 1 more. See')
  expect(messageOf('ref', 'ref')).toBe('Nothing was sent: correct ref. See `issues`.')
  expect(messageOf()).toBe('Nothing was sent: correct the request. See `issues`.')
})

describe('a message about the fields in a response', () => {
  const messageOf = (field: string) => new ValidationError([{ field, issue: 'is wrong' }]).message
  const deep = `customer${'.a'.repeat(6)}`
  const long = `customer.${'a'.repeat(40)}`

  it.each(['body', 'customer.contact.email.address', 'consents.entries.0.type', 'event', deep, long])(
    'repeats %s',
    field => expect(messageOf(field)).toContain(` ${field}.`),
  )

  it.each([
    'sandbox_hunter2',
    'my.customer',
    'sandbox_hunter2 customer',
    'customer sandbox_hunter2',
    'customer.ana@example.com',
    'customers',
    'customer.',
    'customer\n',
    `${deep}.a`,
    `${long}a`,
  ])('does not repeat %j', field => expect(messageOf(field)).toContain('correct the request.'))
})

it('has no meta if no call was made', () => {
  expect(new ConfigError('m')).not.toHaveProperty('meta')
  expect(inspect(new ConfigError('m'))).not.toContain('meta')
})

describe('the error', () => {
  const facts = { sent: 'yes', retryable: false } as const
  const attempt = { callId: 'c', at: '2026-06-15T12:00:00.000Z' }
  const errors = [
    ['ConfigError', 'config', ConfigError, new ConfigError('m')],
    ['ValidationError', 'validation', ValidationError, new ValidationError([])],
    ['BadRequestError', 'bad_request', BadRequestError, new BadRequestError('m', facts, null, [])],
    ['AuthError', 'auth', AuthError, new AuthError('m', facts)],
    ['RateLimitError', 'rate_limit', RateLimitError, new RateLimitError('m', facts, null)],
    ['ServerError', 'server', ServerError, new ServerError('m', facts)],
    ['NotSentError', 'not_sent', NotSentError, new NotSentError('m', facts)],
    ['OutcomeUnknownError', 'outcome_unknown', OutcomeUnknownError, new OutcomeUnknownError('m', facts, attempt)],
    ['AbortedError', 'aborted', AbortedError, new AbortedError('m', facts)],
    ['ProtocolError', 'protocol', ProtocolError, new ProtocolError('m', facts)],
  ] as const

  it.each(errors)('%s is recognized by its own class and the base class, and by no other', (name, code, Own, error) => {
    expect([error.name, error.code, LeadSdkError.is(error)]).toEqual([name, code, true])
    expect(errors.filter(([, , Other]) => Other.is(error)).map(([other]) => other)).toEqual([name])
    for (const value of [undefined, null, code, new Error('m'), { code, name }]) expect(Own.is(value)).toBe(false)
  })

  it('without a request says that nothing was sent, and that a retry is pointless', () => {
    for (const error of [new ConfigError('m'), new ValidationError([])])
      expect(error).toMatchObject({ sent: 'no', retryable: false })
  })
})

it('recognizes errors across two copies of the package', async () => {
  vi.resetModules()
  const copy = await import('./errors.ts')
  const issues = [{ field: 'product_id', issue: 'is required' }]
  const [own, foreign] = [new ValidationError(issues), new copy.ValidationError(issues)]
  expect(foreign).not.toBeInstanceOf(LeadSdkError)
  for (const value of [own, foreign]) {
    expect(LeadSdkError.is(value)).toBe(true)
    expect(ValidationError.is(value)).toBe(true)
    expect(ConfigError.is(value)).toBe(false)
    expect(copy.ValidationError.is(value)).toBe(true)
  }
  const refused = new copy.BadRequestError('m', { sent: 'yes', retryable: false }, null, issues)
  expect(BadRequestError.is(refused) && refused.details).toEqual(issues)
  for (const value of [undefined, null, 'x', new Error('x'), {}]) expect(LeadSdkError.is(value)).toBe(false)
})

describe('docUrl', () => {
  const facts = { sent: 'yes', retryable: false } as const

  it("is the URL of the error's page, also in a structured log", () => {
    expect(new ConfigError('m').docUrl).toBe(docUrl('sdk', 'config'))
    expect(JSON.parse(JSON.stringify(new ConfigError('m')))).toMatchObject({ docUrl: docUrl('sdk', 'config') })
  })

  it.each([
    ['publisher_mismatch', docUrl('service', 'publisher_mismatch')],
    ['a_code_of_tomorrow', docUrl('sdk', 'bad_request')],
    ['toString', docUrl('sdk', 'bad_request')],
    [null, docUrl('sdk', 'bad_request')],
  ])('is, for a refused request with the code %s, %s', (error, page) => {
    expect(new BadRequestError('m', facts, error, []).docUrl).toBe(page)
  })
})
