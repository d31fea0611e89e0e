import { channel } from 'node:diagnostics_channel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { replies, resets, type Step, stallsHeaders, startFaultServer } from '../fault-server.fixture.ts'
import { kindOfError, traceRequests } from './node-network.ts'

const fine = replies(200, {})

/** A call whose requests are followed, and what Node sent again by itself in its attempt. */
function follow(callId: string = crypto.randomUUID()) {
  const trace = traceRequests(callId) ?? expect.fail('Nothing is followed.')
  onTestFinished(() => trace.end())
  let repeats = 0
  const onRepeat = () => {
    repeats += 1
  }
  const attempt = () => trace.attempt(onRepeat)
  attempt()
  const send = (url: string, init: object = {}) =>
    fetch(url, { method: 'POST', body: '{}', headers: { 'x-request-id': callId }, ...init })
  return { trace, attempt, send, repeats: () => repeats, callId }
}

/** A server, and a `fetch` whose connection to it waits until the test answers the look-up of its host. */
async function heldServer(...steps: [Step, ...Step[]]) {
  const server = await startFaultServer(...steps)
  await fetch('data:,')
  // Node makes its dispatcher at the first request, and exports no class of it.
  const { constructor: Dispatcher } = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  const asked = Promise.withResolvers<() => void>()
  const lookup = (_host: string, _options: object, found: (error: null, addresses: object[]) => void) =>
    asked.resolve(() => found(null, [{ address: '127.0.0.1', family: 4 }]))
  const dispatcher = new Dispatcher({ connect: { lookup } })
  onTestFinished(() => dispatcher.destroy())
  const url = `http://localhost:${new URL(server.origin).port}/`
  return { server, url, init: { dispatcher }, asked: asked.promise }
}

describe('nothing of an attempt was sent', () => {
  it('while its request waits for a connection; from then on it never is', async () => {
    const { trace, send } = follow()
    const { server, url, init, asked } = await heldServer(fine)
    const sending = send(url, init).then(
      () => 'sent',
      () => 'failed',
    )
    const answer = await asked
    expect(trace.provesUnsent()).toBe(true)
    answer()
    expect(await sending).toBe('failed')
    expect(server.reached).toEqual([])
    expect(trace.provesUnsent()).toBe(true)
  })

  it('is no longer so once the connection has taken it', async () => {
    const { trace, send } = follow()
    const { url, init, asked } = await heldServer(fine)
    const sending = send(url, init)
    const answer = await asked
    answer()
    expect((await sending).status).toBe(200)
    expect(trace.provesUnsent()).toBe(false)
  })

  it.each([
    ['the server reads it and is silent', stallsHeaders],
    ['the connection is reset', resets],
  ])('is not claimed where %s', async (_name, step) => {
    const { trace, send } = follow()
    const read = Promise.withResolvers<void>()
    const server = await startFaultServer((response, request) => {
      step(response, request)
      read.resolve()
    })
    const controller = new AbortController()
    const sending = send(server.baseUrl, { signal: controller.signal }).catch(() => undefined)
    await read.promise
    expect(trace.provesUnsent()).toBe(false)
    controller.abort()
    await sending
    expect(trace.provesUnsent()).toBe(false)
  })

  it('is not claimed where no request was made, or only requests of others', async () => {
    const { trace } = follow()
    expect(trace.provesUnsent()).toBe(false)
    const { url, init, asked } = await heldServer(fine)
    const foreign = fetch(url, { ...init, headers: { 'x-request-id': 'another' } } as RequestInit)
    const answer = await asked
    expect(trace.provesUnsent()).toBe(false)
    answer()
    expect((await foreign).status).toBe(200)
  })

  it('is found out for each attempt anew', async () => {
    const { trace, send, attempt } = follow()
    const held = await heldServer(fine)
    const first = send(held.url, held.init).catch(() => 'failed')
    const answer = await held.asked
    expect(trace.provesUnsent()).toBe(true)
    attempt()
    expect(trace.provesUnsent()).toBe(false)
    const server = await startFaultServer(fine)
    await send(server.baseUrl)
    expect(trace.provesUnsent()).toBe(false)
    attempt()
    // What an attempt before has sent does not count for this one.
    const again = await heldServer(fine)
    const second = send(again.url, again.init).catch(() => 'failed')
    const answerAgain = await again.asked
    expect(trace.provesUnsent()).toBe(true)
    for (const each of [answer, answerAgain]) each()
    expect(await Promise.all([first, second])).toEqual(['failed', 'failed'])
  })
})

it('reports that Node sends a request again by itself, once for each time', async () => {
  const { trace, send, repeats, attempt } = follow()
  const server = await startFaultServer(replies(421, {}), fine)
  expect((await send(server.baseUrl)).status).toBe(200)
  expect([server.reached.length, repeats()]).toEqual([2, 1])
  attempt()
  expect((await send(server.baseUrl)).status).toBe(200)
  expect(repeats()).toBe(1)
  trace.end()
})

describe('of what Node reports', () => {
  const created = channel('undici:request:create')
  const sent = channel('undici:client:sendHeaders')
  const headersOf = (callId: string) => ['accept', '*/*', 'x-request-id', callId]
  const proofOf = (report: (callId: string) => void) => {
    const { trace, callId } = follow()
    report(callId)
    return trace.provesUnsent()
  }

  it('only a request that no connection has taken proves anything, and all of them must be such', () => {
    const request = (callId: string, abort?: unknown) => ({ request: { headers: headersOf(callId), abort } })
    expect(proofOf(callId => created.publish(request(callId, null)))).toBe(true)
    for (const abort of [undefined, () => {}])
      expect(proofOf(callId => created.publish(request(callId, abort)))).toBe(false)
    const both = (callId: string) => {
      created.publish(request(callId, null))
      created.publish(request(callId, () => {}))
    }
    expect(proofOf(both)).toBe(false)
    const taken = (callId: string) => {
      created.publish(request(callId, null))
      sent.publish({ ...request(callId, null), socket: { destroy: () => expect.unreachable() } })
    }
    expect(proofOf(taken)).toBe(false)
  })

  it('a request without headers is of no call', () => {
    expect(() => created.publish({ request: {} })).not.toThrow()
    expect(proofOf(() => created.publish({ request: { abort: null } }))).toBe(false)
    expect(proofOf(() => created.publish({ request: { headers: [], abort: null } }))).toBe(false)
  })
})

describe('what a network error proves', () => {
  const thrown = (cause: unknown) => new TypeError('fetch failed', { cause })

  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
    'ConnectionRefused',
    'FailedToOpenSocket',
  ])('is that nothing was sent where its whole code is %s', code => {
    expect(kindOfError({ code })).toBe('not_reached')
    expect([kindOfError({ code: `X${code}` }), kindOfError({ code: `${code}X` })]).toEqual(['reply_lost', 'reply_lost'])
  })

  it('is nothing where addresses were tried of which none is reported', () => {
    expect(kindOfError({ errors: [], code: 'ECONNREFUSED' })).toBe('not_reached')
    expect(kindOfError({ errors: [], code: 'ECONNRESET' })).toBe('reply_lost')
    expect(kindOfError({ errors: [{}, {}], code: 'ECONNREFUSED' })).toBe('reply_lost')
    expect(kindOfError({ errors: 'ECONNREFUSED' })).toBe('reply_lost')
  })

  it('is looked for five causes deep', () => {
    const nested = (depth: number): object => (depth === 0 ? { code: 'ECONNREFUSED' } : { cause: nested(depth - 1) })
    expect([kindOfError(nested(5)), kindOfError(nested(6))]).toEqual(['not_reached', 'reply_lost'])
    const wrapped = (depth: number): object =>
      depth === 0 ? { code: 'ECONNREFUSED' } : { errors: [wrapped(depth - 1)] }
    expect([kindOfError(wrapped(5)), kindOfError(wrapped(6))]).toEqual(['not_reached', 'reply_lost'])
  })

  it.each(['no bad port', 'bad port?', 'Requests to port 6000 are blocked here', 'port x are blocked'])(
    'is nothing where its message is %j',
    message => expect(kindOfError({ message })).toBe('reply_lost'),
  )

  it.each([
    ['bad port', 'unreachable'],
    ['Requests to port 7 are blocked', 'unreachable'],
    ['Requests to port 6000 are blocked', 'unreachable'],
  ])('is by %j that it is %s', (message, kind) => expect(kindOfError({ message })).toBe(kind))

  it('is taken from a code before any sentence', () => {
    expect(kindOfError({ code: 'UND_ERR_SOCKET', message: 'bad port' })).toBe('reply_lost')
    expect(kindOfError({ code: 'UND_ERR_SOCKET', message: 'x client error (Connect): x' })).toBe('reply_lost')
  })

  it('distinguishes a reset while connecting, before anything is sent, from one after it', () => {
    expect(kindOfError(thrown({ code: 'ECONNRESET', syscall: 'connect' }))).toBe('not_reached')
    expect(kindOfError(thrown({ code: 'ECONNRESET', syscall: 'read' }))).toBe('reply_lost')
  })

  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
  ])('takes %s as a server that is not trusted', code => expect(kindOfError(thrown({ code }))).toBe('unreachable'))

  it('believes several addresses only when each of them failed before it stood', () => {
    const refused = { code: 'ECONNREFUSED' }
    expect(kindOfError(thrown({ code: 'ECONNREFUSED', errors: [refused, refused] }))).toBe('not_reached')
    expect(kindOfError(thrown({ code: 'ECONNREFUSED', errors: [refused, { code: 'ECONNRESET' }] }))).toBe('reply_lost')
  })

  it.each([undefined, null, 'text', new TypeError('Failed to fetch'), { code: 7 }])(
    'takes %o as a lost reply',
    error => {
      expect(kindOfError(error)).toBe('reply_lost')
    },
  )

  it("reads Deno's sentences, which come without a code", () => {
    const sentence = (what: string) => thrown(new Error(`error sending request for url (http://x/): ${what}`))
    const refused = 'client error (Connect): tcp connect error: Connection refused (os error 111)'
    expect(kindOfError(sentence(refused))).toBe('not_reached')
    expect(kindOfError(sentence('client error (Connect): invalid peer certificate: UnknownIssuer'))).toBe('unreachable')
    expect(kindOfError(sentence('client error (SendRequest): connection closed'))).toBe('reply_lost')
  })
})
