import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { HttpResponse } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { listening } from '../listening.fixture.ts'
import { boundRequests, createUploads, discard, discardBytes, type UploadLimits, uploadLimits } from './limits.ts'

/** A server whose requests are handed to the test, and what opens a connection to it. */
async function serve() {
  const server = createServer()
  const { port } = new URL(await listening(server))
  /** Sends the head of a request and what of its body is there already. */
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
  ])('of %s %j is read as %j with a limit of 10, as soon as that is known', async (head, sent, expected) => {
    const { send } = await serve()
    const { request } = await send(head, sent)
    expect(text(await withLimits({}).of(request).read(10))).toBe(expected)
  })

  it('of a thousand chunks is whole', async () => {
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

  it('whose sender goes away has a response that nobody sees', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const read = withLimits({}).of(request).read(10)
    socket.destroy()
    expect(await read).toEqual(cut)
  })
})

describe('the bodies of all requests', () => {
  it('hold a bounded number of bytes until they are answered; one beyond that is refused', async () => {
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

  it('hold nothing of a body that has only been announced', async () => {
    const { send } = await serve()
    const uploads = withLimits({ maxBytes: 10 })
    for (let sender = 0; sender < 5; sender++) void uploads.of((await send('content-length: 10')).request).read(10)
    const { request } = await send('content-length: 10', '0123456789')
    expect(text(await uploads.of(request).read(10))).toBe('0123456789')
  })
})

describe('a sandbox that closes', () => {
  it.each([
    ['a silent sender at once', { silentMs: 0, graceMs: 2 ** 31 - 1 }],
    ['every sender after its grace', { silentMs: Infinity, graceMs: 0 }],
  ])('cuts %s', async (_title, limits) => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const uploads = withLimits(limits)
    const read = uploads.of(request).read(10)
    uploads.cut()
    expect(await read).toEqual(cut)
    await once(socket, 'close')
  })

  it('lets a sender finish that is not silent', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 10', '01234')
    const uploads = withLimits({ silentMs: 120_000, graceMs: 120_000 })
    const read = uploads.of(request).read(10)
    uploads.cut()
    socket.write('56789')
    expect(text(await read)).toBe('0123456789')
  })
})

describe('what nobody wants', () => {
  it('is read on to its end', async () => {
    const { send } = await serve()
    const { request, socket } = await send('content-length: 1000000')
    socket.write('x'.repeat(1_000_000))
    await discard(request)
    expect(request.complete).toBe(true)
  })

  it('is read on up to a bound', async () => {
    const { send } = await serve()
    const { request, socket } = await send(`content-length: ${4 * discardBytes}`)
    socket.write(Buffer.alloc(4 * discardBytes))
    await discard(request)
    expect([request.complete, request.isPaused()]).toEqual([false, true])
  })

  it('is read on until its sender goes away', async () => {
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

/** A handler that answers when the test says so, and how many requests it got. */
function waiting(max: number) {
  const finish: ((response: HttpResponse) => void)[] = []
  const bounded = boundRequests(() => new Promise(resolve => finish.push(resolve)), max)
  return { ...bounded, finish, send: (target = '/api/v1/lead') => bounded.handle(request(target)) }
}

describe('requests in flight', () => {
  it('are bounded: one beyond is refused with 503 and Retry-After, and gets its turn once another is answered', async () => {
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
    'never keep %s from an answer',
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

  it('are counted down where one fails, and none is left at the end', async () => {
    const bounded = boundRequests(() => Promise.reject(new Error('broken')), 1)
    await expect(bounded.handle(request('/'))).rejects.toThrow('broken')
    await expect(bounded.handle(request('/'))).rejects.toThrow('broken')
    await bounded.none()
  })
})

it('leave their place while they only wait, and are waited for at the end', async () => {
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
