import { describe, expect, it, vi } from 'vitest'
import type { CallName } from './call.ts'
import { CallProgress } from './call.ts'
import { type ClientOptions, createHttpClient } from './client.ts'
import { abortedError, errorOfFailure, failureOf, failureOfError, failureOfResponse } from './failure.ts'
import { replies, startFaultServer, submitCall } from './fault-server.fixture.ts'

const kindOf = (error: unknown) => failureOfError(error).kind
const thrown = (cause: unknown) => new TypeError('fetch failed', { cause })

it('treats an unreadable error as a lost reply', () => {
  const hostile = {
    get code() {
      throw new Error('its own')
    },
  }
  for (const error of [hostile, thrown(hostile)]) expect(kindOf(error)).toBe('reply_lost')
})

it("reports a ConfigError if ky can't be loaded", async () => {
  const fetch = async () => Response.json({ status: 'new' })
  const client = createHttpClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch }, 'LEAD_PUBLISHER_API_KEY')
  vi.doMock('ky', () => {
    throw new Error('A file is missing.')
  })
  try {
    await expect(client.call(submitCall)).rejects.toMatchObject({
      code: 'config',
      sent: 'no',
      message: expect.stringContaining('`ky` could not be loaded'),
    })
  } finally {
    vi.doUnmock('ky')
  }
})

const meta = { attempts: 1, callId: 'c1', status: null, headers: {}, ms: 5 }
const progress = { callId: 'c1', at: '2026-06-15T12:00:00.000Z', meta: () => meta }
const neverSensitive = () => false

const replied = (status: number, body?: Record<string, unknown>, headers: Record<string, string> = {}) =>
  failureOfResponse({ status, headers: new Headers(headers) }, body, neverSensitive)

function errorOf(name: CallName, failure: ReturnType<typeof replied>, more: object = {}, maybeBefore = false) {
  const { message, code, sent, retryable } = errorOfFailure({
    call: { name, ...more },
    progress,
    failure,
    maybeBefore,
  })
  return [code, sent, retryable, message]
}

const alsoCheck = (status: number) => (status === 404 ? ', and the `lead_id`' : '')

describe('the error of a call says what happened and what to do', () => {
  it.each([
    [
      failureOf('not_reached'),
      ['not_sent', 'no', true],
      'Nothing was sent: no connection was established. Send it again. If it keeps failing, check that the service runs at the base URL.',
    ],
    [
      failureOf('unreachable'),
      ['not_sent', 'no', false],
      'Nothing was sent: the certificate of the server is not trusted, or `fetch` blocks its port. Check the base URL.',
    ],
    [
      failureOf('reply_lost'),
      ['outcome_unknown', 'maybe', false],
      'The outcome is unknown: the connection broke before the whole response was read. The lead may exist. Wait for its callback, or submit it again with `resubmission: true`.',
    ],
    [
      replied(503),
      ['outcome_unknown', 'maybe', false],
      'The outcome is unknown: the response has status 503. The lead may exist. Wait for its callback, or submit it again with `resubmission: true`.',
    ],
    [
      replied(303),
      ['outcome_unknown', 'maybe', false],
      'The outcome is unknown: the response has status 303. The lead may exist. Wait for its callback, or submit it again with `resubmission: true`.',
    ],
    [
      replied(429),
      ['rate_limit', 'yes', true],
      'Rate limited (429). Nothing was processed. Retry later, with fewer requests at once.',
    ],
    [
      replied(308),
      ['protocol', 'yes', false],
      'Unexpected redirect (308): `baseUrl` probably points at another server.',
    ],
    [
      replied(401, { error: 'invalid_api_key' }),
      ['auth', 'yes', false],
      'The service does not accept the API key: use your own key for this environment (401).',
    ],
    [
      replied(403),
      ['auth', 'yes', false],
      "The service does not accept the API key: use your own key for this environment, or ask if a firewall or proxy refuses the request: the response is not the service's (403).",
    ],
    [
      replied(407),
      ['bad_request', 'yes', false],
      "A proxy asks for credentials (407). Nothing was processed. Set them in this process's proxy configuration.",
    ],
    [replied(501), ['server', 'yes', false], 'The service does not support this operation (501). Check the base URL.'],
    [
      replied(422, { error: 'invalid_product' }),
      ['bad_request', 'yes', false],
      'The service refused the request (422, invalid_product). Nothing was processed.',
    ],
    [
      replied(413),
      ['bad_request', 'yes', false],
      'The service refused the request (413, no error code). Nothing was processed.',
    ],
    [
      replied(400, { error: 'validation_error', details: [{ field: 'product_id', issue: 'is required' }] }),
      ['bad_request', 'yes', false],
      'The service refused the request (400, validation_error). Correct product_id; see `details`. Nothing was processed.',
    ],
    [
      replied(404, { error: 'not_found' }),
      ['bad_request', 'yes', false],
      'The service refused the request (404, not_found). Nothing was processed. Check the base URL, which ends in /api/v1, and the `lead_id`.',
    ],
    [
      replied(405),
      ['bad_request', 'yes', false],
      'The service refused the request (405, no error code). Nothing was processed. Check the base URL, which ends in /api/v1.',
    ],
  ])('after %o of a submission', (failure, facts, message) => {
    expect(errorOf('submitLead', failure, { alsoCheck })).toEqual([...facts, message])
  })

  it.each([
    [
      failureOf('reply_lost'),
      ['outcome_unknown', 'maybe', true],
      'The outcome is unknown: the connection broke before the whole response was read. It may have been recorded. It is safe to retry.',
    ],
    [replied(503), ['server', 'yes', true], 'The service failed (503). Send it again later.'],
    [
      replied(303),
      ['protocol', 'yes', false],
      'Unexpected redirect (303): `baseUrl` probably points at another server.',
    ],
    [
      replied(404),
      ['bad_request', 'yes', false],
      'The service refused the request (404, no error code). Nothing was processed. Check the base URL, which ends in /api/v1.',
    ],
  ])('after %o of a report', (failure, facts, message) => {
    expect(errorOf('reportStatus', failure)).toEqual([...facts, message])
  })

  it('names another credential if the call has one', () => {
    const [, , , message] = errorOf('reportEvent', replied(401, { error: 'invalid_token' }), {
      credential: 'token of the postback URL',
    })
    expect(message).toBe('The service does not accept the token of the postback URL (401).')
  })

  it('is "outcome unknown" if an earlier attempt may have been processed', () => {
    const after = (failure: ReturnType<typeof replied>) => errorOf('reportStatus', failure, {}, true)
    for (const failure of [failureOf('not_reached'), failureOf('unreachable'), replied(429)])
      expect(after(failure).slice(0, 3)).toEqual(['outcome_unknown', 'maybe', true])
    expect(after(replied(400))).toEqual([
      ...['bad_request', 'yes', false],
      'The service refused the request (400, no error code).',
    ])
    expect(after(replied(503))[0]).toBe('server')
  })

  it('says, after an abort, if anything was sent', () => {
    const aborted = (name: CallName, inFlight: boolean, maybeBefore = false) => {
      const of = new CallProgress(name, undefined)
      of.inFlight = inFlight
      const { message, sent, retryable, meta } = abortedError({ name }, of, maybeBefore)
      expect(meta?.callId).toBe(of.callId)
      return [sent, retryable, message]
    }
    const unknown = 'The call was aborted by its signal. Its outcome is unknown.'
    const nothing = 'The call was aborted by its signal. Nothing was processed.'
    expect(aborted('submitLead', true)).toEqual(['maybe', false, unknown])
    expect(aborted('submitLead', false)).toEqual(['no', true, nothing])
    expect(aborted('reportStatus', true)).toEqual(['maybe', true, unknown])
    expect(aborted('reportStatus', false, true)).toEqual(['maybe', true, unknown])
  })
})

describe('reading an error response', () => {
  const read = (body: Record<string, unknown> | undefined, isSensitive: (text: string) => boolean = neverSensitive) =>
    failureOfResponse({ status: 400, headers: new Headers() }, body, isSensitive).response

  it.each(['a', 'validation_error', 'http_503', 'a'.repeat(64)])('keeps the code %s', error =>
    expect(read({ error })?.error).toBe(error),
  )

  it.each([undefined, null, 7, '', 'Not found', 'not-found', '_x', '7x', 'X', 'x\n', ' x', 'a'.repeat(65), ['x'], {}])(
    'drops the code %j',
    error => expect(read({ error })?.error).toBeNull(),
  )

  it('drops everything that repeats sent data', () => {
    const isSensitive = (text: string) => text.includes('secret')
    expect(read({ error: 'secret_code' }, isSensitive)?.error).toBeNull()
    const details = [
      { field: 'customer.secret', issue: 'is wrong' },
      { field: 'product_id', issue: 'is secret' },
    ]
    expect(read({ details }, isSensitive)).toMatchObject({ details, fields: 'product_id' })
  })

  it('drops malformed details', () => {
    const fine = { field: 'product_id', issue: 'is required' }
    const more = { ...fine, value: 'x' }
    const wrong = [null, undefined, 7, 'x', {}, { field: 'ref' }, { issue: 'is wrong' }, { field: 1, issue: 'x' }]
    expect(read({ details: [...wrong, fine, { field: 'x', issue: 1 }, more] })?.details).toEqual([fine, fine])
    for (const details of [undefined, null, fine, 'x', 7]) expect(read({ details })?.details).toEqual([])
    expect(read(undefined)).toEqual({
      status: 400,
      error: null,
      details: [],
      fields: 'the request',
      retryAfterMs: null,
    })
  })

  it('reads the delay from its header', () => {
    expect(replied(429, undefined, { 'retry-after': '7' }).response?.retryAfterMs).toBe(7_000)
    expect(replied(429).response?.retryAfterMs).toBeNull()
  })
})

describe('a call', () => {
  const fine = replies(200, { lead_id: 'l', status: 'new' })

  /** The error of a submission. */
  function errorOf(options: ClientOptions & { baseUrl: string }, signal?: AbortSignal) {
    return createHttpClient({ apiKey: 'sandbox_key', ...options }, 'LEAD_PUBLISHER_API_KEY')
      .call({ ...submitCall, options: { signal } })
      .then(
        () => expect.unreachable(),
        error => error,
      )
  }

  describe('an error before the first attempt', () => {
    it("does not blame a slow `apiKey` function if the runtime can't build the request", async () => {
      const server = await startFaultServer(fine)
      // As in a test environment that replaces the runtime's AbortController.
      const { signal } = new AbortController()
      const foreign = Object.assign(new EventTarget(), {
        aborted: false,
        throwIfAborted: () => signal.throwIfAborted(),
      })
      const error = await errorOf({ baseUrl: server.baseUrl }, foreign as AbortSignal)
      expect(error).toMatchObject({ code: 'not_sent', sent: 'no', retryable: false, meta: { attempts: 0 } })
      expect(error.message).toMatch(
        /^Nothing was sent: the request could not be built\. Check that `signal`, `Request`/,
      )
      expect(server.reached).toHaveLength(0)
    })

    it('names the deadline if it passed', async () => {
      const server = await startFaultServer(fine)
      const apiKey = () => new Promise<never>(() => {})
      const error = await errorOf({ baseUrl: server.baseUrl, apiKey, deadlineMs: 5 })
      expect(error.message).toBe(
        'Nothing was sent: the deadline passed before the first attempt. Raise `deadlineMs`: it includes the `apiKey` function.',
      )
    })
  })

  it('leaves the outcome unknown if a custom fetch returns an unreadable response', async () => {
    const { baseUrl, reached } = await startFaultServer(fine)
    const wrapped = async (url: string, init: RequestInit) => {
      const { status } = await fetch(url, init)
      return { status, ok: true, headers: new Map([['content-type', 5]]), text: async () => '{}' } as never
    }
    const error = await errorOf({ baseUrl, fetch: wrapped })
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe', retryable: false })
    expect(reached).toHaveLength(1)
  })
})
