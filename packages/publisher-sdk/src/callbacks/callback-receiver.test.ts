import { signCallback } from '@lead-distribution/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type CallbackEvent,
  type CallbackReceiver,
  createCallbackReceiver,
  createCallbackUrl,
  createMemoryClaims,
} from '../callbacks.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const { url, secret } = createCallbackUrl('https://publisher.example/callbacks')
const query = (event: string, lead = lead_id) => `?lead_id=${lead}&event=${event}`
const get = (receive: CallbackReceiver, search: string, base = url) => receive(new Request(`${base}${search}`))

/** A receiver that checks the URL secret, and the events and refusals that it recorded. */
function receiver(options: object = {}) {
  const handled: CallbackEvent[] = []
  const refused: number[] = []
  const receive = createCallbackReceiver({
    verify: { urlSecrets: [secret] },
    handle: event => void handled.push(event),
    onRefusal: ({ status }) => {
      refused.push(status)
      throw new Error('log')
    },
    ...options,
  })
  return { receive, handled, refused }
}

it('ignores later changes to the lists of secrets and addresses', async () => {
  const [urlSecrets, allowedIps] = [[secret], ['203.0.113.7']]
  const { receive } = receiver({ verify: { urlSecrets }, allowedIps })
  urlSecrets[0] = ''
  allowedIps[0] = '198.51.100.7'
  const statusFor = async (address: string, ip: string) =>
    (await receive(new Request(`${address}${query('approved')}`), { ip })).status
  expect(await statusFor('https://publisher.example/callbacks/', '203.0.113.7')).toBe(404)
  expect(await statusFor(url, '198.51.100.7')).toBe(403)
  expect(await statusFor(url, '203.0.113.7')).toBe(200)
})

describe('an event', () => {
  it.each([
    ['loan_issued', 'approved'],
    ['approved', 'approved'],
    ['registration', 'registration'],
    ['loan_paid', 'completed'],
    ['converted', 'converted'],
    ['loan_on_the_moon', 'unrecognized'],
    ['loan issued', 'unrecognized'],
    ['Approved', 'unrecognized'],
    ['constructor', 'unrecognized'],
  ])('%s reaches the handler as %s', async (rawEvent, event) => {
    const { receive, handled } = receiver()
    const response = await get(receive, query(rawEvent))
    expect([response.status, await response.json()]).toEqual([200, { status: 'received' }])
    expect(handled).toEqual([{ lead_id, event, rawEvent, assurance: 'url_secret' }])
  })

  it('is handled once, under either event name and any spelling of the lead id', async () => {
    const { receive, handled } = receiver()
    await get(receive, query('approved'))
    const again = await get(receive, query('loan_issued', lead_id.toUpperCase()))
    expect(await again.json()).toEqual({ status: 'ignored' })
    await get(receive, query('loan_paid'))
    expect(handled.map(event => event.event)).toEqual(['approved', 'completed'])
  })

  it('is handled again after its handler fails', async () => {
    const handle = vi.fn().mockRejectedValueOnce(new Error('database')).mockResolvedValue(undefined)
    const onError = vi.fn(() => {
      throw new Error('log')
    })
    const { receive } = receiver({ handle, onError })
    expect((await get(receive, query('approved'))).status).toBe(500)
    expect((await get(receive, query('approved'))).status).toBe(200)
    expect(handle).toHaveBeenCalledTimes(2)
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('database'))
  })

  it('is not handled while the claim store fails', async () => {
    const claims = { ...createMemoryClaims(), claim: () => Promise.reject(new Error('database')) }
    const { receive, handled } = receiver({ claims, onError: () => {} })
    expect((await get(receive, query('approved'))).status).toBe(500)
    expect(handled).toEqual([])
  })

  it('is parked and acknowledged while its lead is unknown, and handled once the lead is known', async () => {
    const known = new Set<string>()
    const parked: CallbackEvent[] = []
    const { receive, handled } = receiver({
      isKnownLead: (id: string) => known.has(id),
      handleUnknownLead: (event: CallbackEvent) => void parked.push(event),
    })
    const response = await get(receive, query('approved'))
    expect([response.status, await response.json()]).toEqual([200, { status: 'parked' }])
    known.add(lead_id)
    await get(receive, query('approved'))
    expect([parked.length, handled.length]).toEqual([1, 1])
  })
})

describe('a request that is not a callback', () => {
  it.each([
    ['a wrong secret', 404, `https://publisher.example/callbacks/${'x'.repeat(43)}`, query('approved')],
    ['half a secret', 404, url.slice(0, -1), query('approved')],
    ['a secret with an extra character', 404, `${url}x`, query('approved')],
    ['two slashes after the secret', 404, `${url}//`, query('approved')],
    ['an encoded slash before the secret', 404, url.replace('callbacks/', 'callbacks%2F'), query('approved')],
    [
      'an encoded secret',
      404,
      url.replace(secret, `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`),
      query('approved'),
    ],
    ['an event repeated under an encoded name', 400, url, `${query('approved')}&%65vent=rejected`],
    ['an array instead of a lead id', 400, url, `?lead_id[]=${lead_id}&event=approved`],
    ['a lead id after a semicolon', 400, url, `?event=approved;lead_id=${lead_id}`],
    ['no secret', 404, 'https://publisher.example/callbacks', query('approved')],
    ['a secret in the query', 404, 'https://publisher.example/callbacks/', `${query('approved')}&secret=${secret}`],
    ['a repeated event', 400, url, `${query('approved')}&event=rejected`],
    ['a repeated lead id', 400, url, `${query('approved')}&lead_id=${lead_id}`],
    ['no lead id', 400, url, '?event=approved'],
    ['no event', 400, url, `?lead_id=${lead_id}`],
    ['an id that is not a UUID', 400, url, query('approved', `${lead_id}x`)],
    ['an event with a line break', 400, url, query('approved%0Aforged')],
    ['an overlong event', 400, url, query('a'.repeat(101))],
  ])('is refused: %s is %i', async (_name, status, base, search) => {
    const { receive, handled, refused } = receiver()
    expect((await get(receive, search, base)).status).toBe(status)
    expect(handled).toEqual([])
    expect(refused).toEqual([status])
  })

  it.each(['POST', 'HEAD', 'PUT', 'DELETE'])('is refused: %s is 405, but 404 without the secret', async method => {
    const { receive } = receiver()
    const response = await receive(new Request(`${url}${query('approved')}`, { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect((await receive(new Request('https://publisher.example/callbacks/x', { method }))).status).toBe(404)
  })
})

it('matches parameter names exactly, among thousands of others', async () => {
  const { receive, handled } = receiver()
  const others = Array.from({ length: 10_000 }, (_, index) => `&p${index}=${index}`).join('')
  expect((await get(receive, `${query('approved')}&LEAD_ID=x&Event=rejected${others}`)).status).toBe(200)
  expect(handled).toMatchObject([{ lead_id, event: 'approved' }])
})

it('accepts an extra slash at the end of the URL, which a proxy or framework may add', async () => {
  const { receive, handled } = receiver()
  expect((await get(receive, query('approved'), `${url}/`)).status).toBe(200)
  expect(handled).toHaveLength(1)
})

it('accepts a callback URL whose own query repeats a name', async () => {
  const { receive, handled } = receiver()
  expect((await get(receive, `${query('approved')}&tag=a&tag=b`)).status).toBe(200)
  expect(handled).toMatchObject([{ lead_id, event: 'approved' }])
})

it('accepts several secrets during a rotation, and a callback URL with a query', async () => {
  const next = createCallbackUrl('https://publisher.example/callbacks/?source=loans')
  const { receive, handled } = receiver({ verify: { urlSecrets: [secret, next.secret] } })
  expect((await get(receive, query('approved'))).status).toBe(200)
  expect((await receive(new Request(`${next.url}&lead_id=${lead_id}&event=rejected`))).status).toBe(200)
  expect(handled).toHaveLength(2)
})

describe('a signed callback', () => {
  const signing = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
  const older = `whsec_${btoa('fedcba9876543210fedcba9876543210')}`
  const path = `/callbacks${query('approved')}`
  const now = new Date('2026-01-01T00:00:00Z')
  const seconds = now.getTime() / 1000

  async function signed({ secret = signing, at = seconds, target = path, sent = path, extra = '' } = {}) {
    const [id, timestamp] = ['msg_1', String(at)]
    const signature = await signCallback({ secret, id, timestamp, target })
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `${extra}${signature}` }
    return new Request(`https://publisher.example${sent}`, { headers })
  }

  function signedReceiver(signature: object = {}) {
    const handled: CallbackEvent[] = []
    const receive = createCallbackReceiver({
      verify: { signature: { secrets: [older, signing], now: () => now, ...signature } },
      handle: event => void handled.push(event),
    })
    return { receive, handled }
  }

  it('is accepted with the highest assurance if any of its signatures matches any secret', async () => {
    for (const options of [{}, { secret: older }, { extra: 'v1,AAAA v2,BBBB ' }, { at: seconds - 300 }]) {
      const { receive, handled } = signedReceiver()
      expect((await receive(await signed(options))).status).toBe(200)
      expect(handled).toEqual([{ lead_id, event: 'approved', rawEvent: 'approved', assurance: 'signature' }])
    }
  })

  it('is refused if any part was changed or the signature is missing', async () => {
    const { receive, handled } = signedReceiver()
    for (const options of [
      { sent: `/callbacks${query('rejected')}` },
      { sent: `/other${query('approved')}` },
      { secret: `whsec_${btoa('another secret of the same length')}` },
    ]) {
      expect((await receive(await signed(options))).status).toBe(401)
    }
    expect((await receive(new Request(`https://publisher.example${path}`))).status).toBe(401)
    expect(handled).toEqual([])
  })

  it('is verified over the original target, if a proxy changed the path', async () => {
    const { receive } = signedReceiver()
    const request = await signed({ target: `/outside${query('approved')}` })
    expect((await receive(request.clone())).status).toBe(401)
    expect((await receive(request, { target: `/outside${query('approved')}` })).status).toBe(200)
  })
})

it.each([
  {},
  { verify: {} },
  { verify: { urlSecrets: [] } },
  { verify: { urlSecrets: ['hunter2'] } },
  { verify: { urlSecrets: 'hunter2'.repeat(5) } },
  { verify: { signature: {} } },
  { verify: { signature: { secrets: `whsec_${btoa('hunter2'.repeat(5))}` } } },
  { verify: { signature: { secrets: ['hunter2'] } } },
  { verify: { signature: { secrets: [`whsec_ ${btoa('hunter2'.repeat(5))}`] } } },
  { verify: { signature: { secrets: [`whsec_${btoa('hunter2'.repeat(5))}\n`] } } },
  { verify: { signature: { secrets: [`whsec_${btoa('hunter2'.repeat(5)).replace('=', '')}`] } } },
  { verify: { signature: { secrets: ['whsec_'] } } },
  { verify: { signature: { secrets: [''] } } },
  { verify: { signature: { secrets: [] } } },
  { verify: 'none', isKnownLead: () => true },
  { verify: 'none', handle: undefined },
  { verify: 'none', claims: { claim: () => 'claimed', release: () => {} } },
  { verify: 'none', handleTimeoutMs: 0 },
  { verify: 'none', handleTimeoutMs: 2 ** 31 },
  { verify: 'none', handleTimeoutMs: '5' },
  { verify: 'none', leaseMs: 1.5 },
  { verify: 'none', handleTimeoutMs: 1001, leaseMs: 1000 },
])('rejects the options %o without repeating a secret', options => {
  const create = () => createCallbackReceiver({ handle: () => {}, ...options } as never)
  expect(create).toThrow(expect.objectContaining({ code: 'config', message: expect.not.stringContaining('hunter2') }))
})

describe('handling', () => {
  const { url, secret } = createCallbackUrl('https://publisher.example/callbacks')
  const callback = () => new Request(`${url}?lead_id=3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11&event=approved`)

  function receiver(options: object) {
    const reported: unknown[] = []
    const onError = (error: unknown) => void reported.push(error)
    const receive = createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle: () => {}, onError, ...options })
    const deliver = async () => {
      const reply = await receive(callback())
      return `${reply.status} ${(await reply.json()).status}`
    }
    return { receive, deliver, reported }
  }

  function fakeTime() {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
  }

  it('asks for a retry after the lease while the event is being handled', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const handle = vi.fn(() => promise)
    const { receive, deliver } = receiver({ handle, handleTimeoutMs: 1500, leaseMs: 1500 })
    const first = deliver()
    const second = await receive(callback())
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '2'])
    resolve()
    expect([await first, await deliver()]).toEqual(['200 received', '200 ignored'])
    expect(handle).toHaveBeenCalledTimes(1)
  })

  it('handles an event once, even if fifty callbacks arrive at the same time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const handle = vi.fn(() => promise)
    const { deliver } = receiver({ handle, isKnownLead: async () => true, handleUnknownLead: () => {} })
    const replies = Array.from({ length: 50 }, deliver)
    await Promise.all(replies.slice(1))
    resolve()
    const counts = Object.groupBy(await Promise.all(replies), reply => reply)
    expect([counts['200 received']?.length, counts['503 busy']?.length]).toEqual([1, 49])
    expect(await deliver()).toBe('200 ignored')
    expect(handle).toHaveBeenCalledTimes(1)
  })

  it('times out a slow handler, and handles the event again after the lease', async () => {
    fakeTime()
    const signals: AbortSignal[] = []
    const handle = vi.fn((_event, { signal }) => {
      signals.push(signal)
      return signals.length === 1 ? new Promise(() => {}) : undefined
    })
    const { deliver, reported } = receiver({ handle, handleTimeoutMs: 100, leaseMs: 300 })
    const first = deliver()
    await vi.advanceTimersByTimeAsync(99)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    await vi.advanceTimersByTimeAsync(1)
    expect([await first, signals[0]?.aborted]).toEqual(['503 busy', true])
    expect(reported).toEqual([
      new Error('A callback took longer than `handleTimeoutMs` (100 ms). Put slow work in a queue.'),
    ])
    await vi.advanceTimersByTimeAsync(199)
    expect(await deliver()).toBe('503 busy')
    await vi.advanceTimersByTimeAsync(1)
    expect([await deliver(), handle.mock.calls.length]).toEqual(['200 received', 2])
    expect([vi.getTimerCount(), signals[1]?.aborted]).toEqual([0, false])
  })

  it.each([
    ['finishes', undefined, '200 ignored', 1],
    ['fails', new Error('too late'), '200 received', 2],
  ])('covers a handler that %s after the time limit', async (_name, error, next, errors) => {
    fakeTime()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const handle = vi.fn().mockReturnValueOnce(promise)
    const { deliver, reported } = receiver({ handle, handleTimeoutMs: 100 })
    const first = deliver()
    await vi.advanceTimersByTimeAsync(100)
    expect(await first).toBe('503 busy')
    if (error) reject(error)
    else resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect([await deliver(), reported.length]).toEqual([next, errors])
  })

  it("keeps the handler's result even if the claim can be neither confirmed nor released", async () => {
    fakeTime()
    const [database, handler] = [new Error('database'), new Error('handler')]
    const fails = () => Promise.reject(database)
    const handle = vi.fn().mockRejectedValueOnce(handler)
    const claims = { ...createMemoryClaims(), confirm: fails, release: fails }
    const { deliver, reported } = receiver({ handle, claims, leaseMs: 10_000 })
    expect([await deliver(), await deliver()]).toEqual(['500 failed', '503 busy'])
    vi.advanceTimersByTime(10_000)
    expect(await deliver()).toBe('200 received')
    expect(reported).toEqual([database, handler, database])
  })

  it('prints errors by default, so that a failing claim store is noticed', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const [database, handler] = [new Error('429 Too Many Requests'), new Error('handler')]
    const handle = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValue(handler)
    const claims = { ...createMemoryClaims(), claim: () => 'claimed', confirm: () => Promise.reject(database) }
    const { deliver } = receiver({ handle, claims, onError: undefined })
    expect([await deliver(), await deliver()]).toEqual(['200 received', '500 failed'])
    expect(printed.mock.calls).toEqual([[database], [handler]])
  })

  it.each([undefined, null, true, false, 'taken', {}])(
    'treats %o from `claim` as an error, not as a repeat',
    async returned => {
      const handle = vi.fn()
      const { deliver, reported } = receiver({ handle, claims: { ...createMemoryClaims(), claim: () => returned } })
      expect(await deliver()).toBe('500 failed')
      expect(reported).toMatchObject([
        { code: 'config', message: expect.stringContaining("'claimed', 'busy' or 'done'") },
      ])
      expect(handle).not.toHaveBeenCalled()
    },
  )

  it.each(['handle', 'handleUnknownLead', 'isKnownLead', 'claim'])(
    'responds 500 if %s throws, even if it throws undefined',
    async name => {
      const throws = () => {
        throw undefined
      }
      const claims = name === 'claim' ? { ...createMemoryClaims(), claim: throws } : createMemoryClaims()
      const knowledge =
        name === 'handle' || name === 'claim' ? {} : { isKnownLead: () => false, handleUnknownLead: () => {} }
      const { deliver, reported } = receiver({ claims, ...knowledge, ...(name === 'claim' ? {} : { [name]: throws }) })
      expect([await deliver(), reported]).toEqual(['500 failed', [undefined]])
    },
  )
})
