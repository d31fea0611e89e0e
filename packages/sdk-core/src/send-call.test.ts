import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call, CallEvent, CallName } from './call.ts'
import type { ClientOptions } from './client.ts'
import { createHttpClient } from './client.ts'
import { AbortedError, NotSentError, OutcomeUnknownError, ServerError } from './errors.ts'
import {
  cutsBody,
  refusedBaseUrl,
  replies,
  resets,
  type Step,
  stallsBody,
  stallsHeaders,
  startFaultServer,
  startResettingServer,
} from './fault-server.fixture.ts'
import type { ServiceAddress } from './service-address.ts'

const fine = replies(200, { lead_id: 'l', status: 'new' })
const quick = { apiKey: 'sandbox_key' } satisfies ClientOptions

// The minimum delay, for a jitter of zero.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

function callOf(name: CallName, options: Call['options'] = {}): Call {
  const method = name === 'reportEvent' ? 'GET' : 'POST'
  return {
    name,
    method,
    to: { path: '/lead' },
    withKey: true,
    options,
    ...(method === 'POST' && { body: '{}' }),
  }
}

const send = (name: CallName, options: ClientOptions & ServiceAddress, call: Call['options'] = {}) =>
  createHttpClient({ ...quick, ...options }, 'LEAD_PUBLISHER_API_KEY').call(callOf(name, call))

const stalls = (step: Step) => step === stallsHeaders || step === stallsBody

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    error => error,
  )

describe('after a failure that leaves the outcome unknown', () => {
  const failures: [string, Step][] = [
    ['a reset after the request', resets],
    ['a cut body', cutsBody],
    ['stalled headers', stallsHeaders],
    ['a stalled body', stallsBody],
    ['an HTML page as 200', replies(200, '<html>', { 'content-type': 'text/html' })],
    ['an empty 204', response => response.writeHead(204).end()],
    ['a JSON array', replies(200, [])],
    ['a 500', replies(500, { error: 'internal_error', message: '' })],
    ['a 503 with Retry-After', replies(503, '', { 'retry-after': '0' })],
  ]

  it.each(failures)('sends a submission only once: %s', async (_name, step) => {
    const server = await startFaultServer(step, fine)
    const error = await errorOf(
      send('submitLead', { baseUrl: server.baseUrl, timeoutMs: stalls(step) ? 2000 : 30_000 }),
    )
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe', retryable: false })
    expect(error).toMatchObject({ callId: error.meta.callId, at: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(server.reached).toHaveLength(1)
  })

  it.each(failures)('retries a status and a pixel: %s', async (_name, step) => {
    for (const name of ['reportStatus', 'reportEvent'] as const) {
      const server = await startFaultServer(step, step, fine)
      // The limit also applies to the good response, which a busy machine may send late: more attempts do no harm.
      const limits = stalls(step) ? { timeoutMs: 400, maxRetries: 20 } : { timeoutMs: 30_000 }
      const { meta } = await send(name, { baseUrl: server.baseUrl, ...limits })
      expect(meta.status).toBe(200)
      if (!stalls(step)) expect(meta.attempts).toBe(3)
      expect(server.reached.length).toBeGreaterThanOrEqual(3)
      expect(server.reached.length).toBeLessThanOrEqual(meta.attempts)
    }
  })

  it('sends a status only once if the caller disabled retries', async () => {
    const server = await startFaultServer(resets, fine)
    const client = createHttpClient({ ...quick, baseUrl: server.baseUrl }, 'LEAD_ADVERTISER_API_KEY')
    const error = await errorOf(client.call({ ...callOf('reportStatus'), retryUnknownOutcome: false }))
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe' })
    expect(server.reached).toHaveLength(1)
  })

  it('treats a reset on the first bytes of a request as unknown', async () => {
    const server = await startResettingServer()
    const error = await errorOf(send('submitLead', { baseUrl: server.baseUrl }))
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe' })
    expect(server.connections()).toBe(1)
  })

  it('stays unknown if a later attempt is not even sent', async () => {
    const server = await startFaultServer(resets)
    let calls = 0
    const error = await errorOf(
      send('reportStatus', {
        baseUrl: server.baseUrl,
        fetch: (url, init) => {
          calls += 1
          if (calls === 1) return fetch(url, init)
          throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
        },
      }),
    )
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe', retryable: true })
    expect(error.meta.attempts).toBe(3)
  })
})

describe.each(['submitLead', 'reportStatus', 'reportEvent'] as const)('%s', name => {
  it('is retried if the connection is refused', async () => {
    const error = await errorOf(send(name, { baseUrl: await refusedBaseUrl() }))
    expect(error).toBeInstanceOf(NotSentError)
    expect(error).toMatchObject({ sent: 'no', retryable: true, meta: { attempts: 3, status: null } })
  })

  it('is retried if the host is not found', async () => {
    const refusing = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } }))
    const error = await errorOf(
      send(name, { baseUrl: 'https://acme.example.com/api/v1', apiKey: 'k', fetch: refusing }),
    )
    expect(error).toMatchObject({ code: 'not_sent', meta: { attempts: 3 } })
  })

  it('sends nothing to a server that does not speak TLS', async () => {
    const server = await startFaultServer(fine)
    const error = await errorOf(send(name, { baseUrl: server.baseUrl.replace('http:', 'https:') }))
    expect(error).toMatchObject({ code: 'not_sent', sent: 'no', retryable: false, meta: { attempts: 1 } })
    expect(server.reached).toHaveLength(0)
  })

  it.each([{}, { 'retry-after': '0' }, { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }])(
    'is retried after a 429 with %o',
    async headers => {
      const server = await startFaultServer(replies(429, {}, headers), fine)
      expect((await send(name, { baseUrl: server.baseUrl })).meta.attempts).toBe(2)
      expect(server.reached).toHaveLength(2)
    },
  )

  it.each(['86400', 'Fri, 31 Dec 2199 23:59:59 GMT'])(
    'waits at most half a minute if a 429 asks for %s',
    async after => {
      const server = await startFaultServer(replies(429, {}, { 'retry-after': after }), fine)
      const gone = new AbortController()
      const waits: number[] = []
      const onEvent = (event: CallEvent) => {
        if (event.type !== 'retry') return
        waits.push(event.delayMs)
        gone.abort()
      }
      await errorOf(send(name, { baseUrl: server.baseUrl, onEvent }, { signal: gone.signal }))
      expect(waits).toEqual([30_000])
    },
  )

  it('ends with a rate limit error after repeated 429s', async () => {
    const again = replies(429, {}, { 'retry-after': '0' })
    const server = await startFaultServer(again, again, replies(429, {}, { 'retry-after': '7' }))
    const error = await errorOf(send(name, { baseUrl: server.baseUrl }))
    expect(error).toMatchObject({ code: 'rate_limit', sent: 'yes', retryable: true, retryAfterMs: 7000 })
    expect(server.reached).toHaveLength(3)
  })

  it.each([
    [400, 'bad_request'],
    [401, 'auth'],
    [404, 'bad_request'],
    [422, 'bad_request'],
    [501, 'server'],
    [308, 'protocol'],
  ])('is not retried after %i', async (status, code) => {
    const server = await startFaultServer(replies(status, { error: 'some_code', message: '' }), fine)
    const error = await errorOf(send(name, { baseUrl: server.baseUrl }))
    expect(error).toMatchObject({ code, sent: 'yes', retryable: false, meta: { status } })
    expect(server.reached).toHaveLength(1)
  })

  it('makes one attempt if maxRetries is 0', async () => {
    const server = await startFaultServer(replies(429, {}), fine)
    await errorOf(send(name, { baseUrl: server.baseUrl }, { maxRetries: 0 }))
    expect(server.reached).toHaveLength(1)
  })

  it('does not follow a redirect, which would forward the key to another origin', async () => {
    const other = await startFaultServer(fine)
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await startFaultServer(replies(status, '', { location: `${other.origin}/lead` }))
      await errorOf(send(name, { baseUrl: server.baseUrl }))
      expect(server.reached).toHaveLength(1)
    }
    expect(other.reached).toHaveLength(0)
  })
})

describe('time', () => {
  it('ends the whole call at its deadline', async () => {
    const server = await startFaultServer(stallsHeaders)
    const error = await errorOf(send('reportStatus', { baseUrl: server.baseUrl, maxRetries: 9 }, { deadlineMs: 1000 }))
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe' })
    expect(server.reached.length).toBeLessThan(3)
  })

  it('does not start a wait that would exceed the deadline', async () => {
    const slow = await startFaultServer(replies(429, '', { 'retry-after': '3600' }), fine)
    const error = await errorOf(send('reportEvent', { baseUrl: slow.baseUrl }, { deadlineMs: 5000 }))
    expect(error.code).toBe('rate_limit')
    expect(slow.reached).toHaveLength(1)
  })

  it('ends an attempt even if its fetch ignores the signal', async () => {
    const deaf = () => new Promise<never>(() => {})
    const error = await errorOf(
      send('submitLead', { baseUrl: 'http://127.0.0.1:1/api/v1', fetch: deaf, timeoutMs: 20 }),
    )
    expect(error).toMatchObject({ code: 'outcome_unknown' })
  })
})

describe("the caller's signal", () => {
  it('prevents sending if it is already aborted', async () => {
    const server = await startFaultServer(fine)
    const error = await errorOf(
      send('submitLead', { baseUrl: server.baseUrl }, { signal: AbortSignal.abort('secret') }),
    )
    expect(error).toBeInstanceOf(AbortedError)
    expect(error).toMatchObject({ sent: 'no', retryable: true, meta: { attempts: 0 } })
    expect(server.reached).toHaveLength(0)
  })

  it('aborts a call in flight, whose outcome is then unknown', async () => {
    const controller = new AbortController()
    const server = await startFaultServer(() => controller.abort())
    const error = await errorOf(send('submitLead', { baseUrl: server.baseUrl }, { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted', sent: 'maybe', retryable: false })
    expect(error.meta).toMatchObject({ attempts: 1, callId: expect.any(String) })
  })

  it('interrupts the wait between attempts', async () => {
    const controller = new AbortController()
    const server = await startFaultServer(replies(429, '', { 'retry-after': '3600' }))
    const onEvent = ({ type }: CallEvent) => void (type === 'retry' && controller.abort())
    const options = { baseUrl: server.baseUrl, onEvent }
    const error = await errorOf(send('submitLead', options, { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted', sent: 'no' })
  })

  it('is left without listeners, whatever the result of the call', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...all: unknown[]) => {
      listeners += 1
      Reflect.apply(addEventListener, signal, all)
    }
    signal.removeEventListener = (...all: unknown[]) => {
      listeners -= 1
      Reflect.apply(removeEventListener, signal, all)
    }
    const server = await startFaultServer(replies(429, ''), fine, resets)
    await send('submitLead', { baseUrl: server.baseUrl }, { signal })
    await errorOf(send('submitLead', { baseUrl: server.baseUrl }, { signal }))
    expect(listeners).toBe(0)
  })
})

it('reports each step of a call in events without key, URL or body', async () => {
  const server = await startFaultServer(replies(429, ''), resets)
  const events: CallEvent[] = []
  const listen = (event: CallEvent) => {
    events.push(event)
    throw new Error('a log must not break a call')
  }
  const error = await errorOf(send('submitLead', { baseUrl: server.baseUrl, onEvent: listen }))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  const base = { callId: error.meta.callId, call: 'submitLead' }
  const ms = expect.toSatisfy(Number.isInteger)
  expect(events).toEqual([
    { ...base, attempt: 1, type: 'attempt', method: 'POST' },
    { ...base, attempt: 1, type: 'reply', status: 429, ms },
    { ...base, attempt: 1, type: 'retry', reason: 'the response has status 429', delayMs: ms },
    { ...base, attempt: 2, type: 'attempt', method: 'POST' },
    { ...base, attempt: 2, type: 'failure', code: 'outcome_unknown', sent: 'maybe', ms },
  ])
  // The first response's data does not belong to the attempt with the lost reply.
  expect(error.meta).toMatchObject({ attempts: 2, status: null, headers: {} })
  expect(JSON.stringify(events)).not.toMatch(/sandbox_key|127\.0\.0\.1|\{\}/)
})

it('tries the next method after 405 and 501, which prove that nothing was processed', async () => {
  const server = await startFaultServer(replies(405, {}), fine)
  const client = createHttpClient({ ...quick, baseUrl: server.baseUrl, maxRetries: 0 }, 'LEAD_ADVERTISER_API_KEY')
  const answered = await client.call({ ...callOf('reportStatus'), method: 'POST', nextMethod: 'PATCH' })
  expect(answered).toMatchObject({ status: 200, meta: { attempts: 2 } })
  expect(server.reached.map(request => request.method)).toEqual(['POST', 'PATCH'])
})

it('ends with a server error after repeated 503s for a status', async () => {
  const server = await startFaultServer(replies(503, ''))
  const error = await errorOf(send('reportStatus', { baseUrl: server.baseUrl }))
  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ sent: 'yes', retryable: true, meta: { attempts: 3, status: 503 } })
})

it('asks for JSON, and declares JSON only when sending it', async () => {
  const server = await startFaultServer(fine)
  await send('submitLead', { baseUrl: server.baseUrl })
  await send('reportEvent', { baseUrl: server.baseUrl })
  expect(server.reached.map(({ headers }) => [headers.accept, headers['content-type']])).toEqual([
    ['application/json', 'application/json'],
    ['application/json', undefined],
  ])
})

it('caches no response: it holds a `redirect_url`, and its URL may hold a token', async () => {
  const seen: RequestInit[] = []
  const fetch = async (_url: string, init: RequestInit) => {
    seen.push(init)
    return Response.json({ status: 'new' })
  }
  for (const name of ['submitLead', 'reportStatus', 'reportEvent'] as const)
    await send(name, { baseUrl: 'http://127.0.0.1:9', fetch })
  expect(seen.map(({ cache, redirect }) => [cache, redirect])).toEqual(Array(3).fill(['no-store', 'manual']))
})

describe('connections', () => {
  it('are reused between calls', async () => {
    const server = await startFaultServer(fine)
    for (const _ of [1, 2]) await send('submitLead', { baseUrl: server.baseUrl })
    expect(server.reached.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive'])
  })

  it('are opened for each request if `keepAlive` is off', async () => {
    const server = await startFaultServer(fine)
    for (const _ of [1, 2]) await send('submitLead', { baseUrl: server.baseUrl, keepAlive: false })
    expect(server.reached.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
  })
})
