import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { HttpResponse } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { listening } from '../listening.fixture.ts'
import { boundRequests, createUploads, discard, discardBytes, type UploadLimits, uploadLimits } from './limits.ts'

/** A server that passes its requests to the test, and a function that opens a connection to it. */
async function serve() {
  const server = createServer()
  const { port } = new URL(await listening(server))
  /** Sends a request's headers and the part of its body that is ready. */
  const send = async (head: string, body = ''): Promise<{ request: IncomingMessage; socket: Socket }> => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    const arrived = once(server, 'request')
    socket.write(`POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n${head}\r\n\r\n${body}`)
    const [request] = (await arrived) as [IncomingMessage]
    return { request, socket }
  }
  return { send }
}

const withLimits = (limits: Partial<UploadLimits>) => createUploads({ ...uploadLimits, ...limits })
const text = (body: unknown) => (body instanceof Uint8Array ? new TextDecoder().decode(body) : body)
const overloaded = expect.objectContaining({ status: 503, headers: { 'retry-after': '1' } })
const cut = expect.objectContaining({ broken: 'cut' })

describe('a body', () => {
  it.each([
    ['content-length: 10', '0123456789', '0123456789'],
    ['content-length: 11', '', 'too-large'],
    ['transfer-encoding: chunked', 'a\r\n0123456789\r\n0\r\n\r\n', '0123456789'],
    ['transfer-encoding: chunked', 'b\r\n01234567890\r\n', 'too-large'],
    ['transfer-encoding: chunked', '0\r\n\r\n', ''],
  ])('with %s %j is read as %j under a limit of 10, as early as possible', async (head, sent, expected) => {
    const { send } = await serve()
    const { request } = await send(head, sent)
    expect(text(await withLimits({}).of(request).read(10))).toBe(expected)
  })

  it('of a thousand chunks is complete', async () => {
    const { send } = await serve()
    const { request, socket } = await send('transfer-encoding: chunked')
    const read = withLimits({}).of(request).read(10_000)
    let whole = ''
    for (let index = 0; index < 1_000; index++) {
      whole += String(index % 10)
      socket.write(`1\r\n${index % 10}\r\n`)
    }
    socket.write('0\r\n\r\n')
    expect(text(await read)).toBe(whole)
  })

  it('of a client that disconnects gets a response that nobody sees', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const read = withLimits({}).of(request).read(10)
    socket.destroy()
    expect(await read).toEqual(cut)
  })
})

describe('all request bodies', () => {
  it('may use a bounded amount of memory; beyond it, requests are refused', async () => {
    const { send } = await serve()
    const uploads = withLimits({ maxBytes: 10 })
    const read = async (sent: string) => {
      const { request } = await send(`content-length: ${sent.length}`, sent)
      const upload = uploads.of(request)
      return { upload, body: text(await upload.read(100)) }
    }
    const [six, four] = [await read('666666'), await read('4444')]
    expect([six.body, four.body]).toEqual(['666666', '4444'])
    const one = await read('1')
    expect(one.body).toEqual(overloaded)
    one.upload.release()
    four.upload.release()
    expect((await read('55555')).body).toEqual(overloaded)
    expect((await read('7777')).body).toEqual('7777')
    six.upload.release()
    six.upload.release()
    expect((await read('8888888')).body).toEqual(overloaded)
    expect((await read('999999')).body).toEqual('999999')
  })

  it('use no memory until they are sent', async () => {
    const { send } = await serve()
    const uploads = withLimits({ maxBytes: 10 })
    for (let sender = 0; sender < 5; sender++) void uploads.of((await send('content-length: 10')).request).read(10)
    const { request } = await send('content-length: 10', '0123456789')
    expect(text(await uploads.of(request).read(10))).toBe('0123456789')
  })
})

describe('during shutdown', () => {
  it.each([
    ['disconnects a stalled client immediately', { silentMs: 0, graceMs: 2 ** 31 - 1 }],
    ['disconnects any client after a grace period', { silentMs: Infinity, graceMs: 0 }],
  ])('cuts %s', async (_title, limits) => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const uploads = withLimits(limits)
    const read = uploads.of(request).read(10)
    uploads.cut()
    expect(await read).toEqual(cut)
    await once(socket, 'close')
  })

  it('lets an active client finish', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const uploads = withLimits({ silentMs: 120_000, graceMs: 120_000 })
    const read = uploads.of(request).read(10)
    uploads.cut()
    socket.write('56789')
    expect(text(await read)).toBe('0123456789')
  })
})

describe('an unwanted body', () => {
  it('is read to its end', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 1000000')
    socket.write('x'.repeat(1_000_000))
    await discard(request)
    expect(request.complete).toBe(true)
  })

  it('is read up to a limit', async () => {
    const { send } = await serve()
    const { request, socket } = await send(`content-length: ${4 * discardBytes}`)
    socket.write(Buffer.alloc(4 * discardBytes))
    await discard(request)
    expect([request.complete, request.isPaused()]).toEqual([false, true])
  })

  it('is read until the client disconnects', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const discarded = discard(request)
    socket.destroy()
    await discarded
    expect([request.complete, request.destroyed]).toEqual([false, true])
  })
})

const ok: HttpResponse = { status: 200, headers: {}, body: '' }
const request = (target: string) => ({ method: 'GET', target, headers: {}, body: new Uint8Array() })

/** A handler that responds when the test says so, and its number of requests. */
function waiting(max: number) {
  const finish: ((response: HttpResponse) => void)[] = []
  const bounded = boundRequests(() => new Promise(resolve => finish.push(resolve)), max)
  return { ...bounded, finish, send: (target = '/api/v1/lead') => bounded.handle(request(target)) }
}

describe('requests in flight', () => {
  it('are bounded: one beyond the limit gets a 503 with Retry-After, and succeeds after another one finishes', async () => {
    const { send, finish, refused } = waiting(2)
    const [first] = [send(), send()]
    expect(await send()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(JSON.parse((await send()).body).error).toBe('overloaded')
    expect(finish).toHaveLength(2)
    expect(refused()).toBe(2)
    finish[0]?.(ok)
    expect((await first)?.status).toBe(200)
    void send()
    expect(finish).toHaveLength(3)
  })

  it.each(['/_sandbox/health', '/_sandbox/health/ready', '/_sandbox/health?a', '/_sandbox/metrics'])(
    'never block %s',
    async target => {
      const { send, finish } = waiting(0)
      const probed = send(target)
      finish[0]?.(ok)
      expect((await probed).status).toBe(200)
    },
  )

  it.each(['/_sandbox/healthy', '/_sandbox/v1/tenants', '/x/_sandbox/health'])('bound %s', async target => {
    expect((await waiting(0).send(target)).status).toBe(503)
  })

  it('are counted down after a failure, and drain at the end', async () => {
    const bounded = boundRequests(() => Promise.reject(new Error('broken')), 1)
    await expect(bounded.handle(request('/'))).rejects.toThrow('broken')
    await expect(bounded.handle(request('/'))).rejects.toThrow('broken')
    await bounded.none()
  })
})

it('do not count while they only wait, but are awaited at the end', async () => {
  const over = Promise.withResolvers<void>()
  const bounded = boundRequests(async ({ wait, target }) => {
    if (target === '/wait') await wait?.(() => over.promise)
    return ok
  }, 1)
  const waiting = Array.from({ length: 50 }, () => bounded.handle(request('/wait')))
  expect((await bounded.handle(request('/'))).status).toBe(200)
  let isIdle = false
  const idle = bounded.none().then(() => {
    isIdle = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isIdle).toBe(false)
  over.resolve()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(50).fill(200))
  await idle
})
