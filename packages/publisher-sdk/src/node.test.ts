import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { signCallback } from '@lead-distribution/contract'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type CallbackEvent,
  type CallbackReceiver,
  createCallbackReceiver,
  createCallbackUrl,
  verifyCallback,
} from './callbacks.ts'
import { nodeCallbacks } from './node.ts'
import { createTestCallback, createTestSigningSecret } from './testing.ts'

const adapters = {
  'node:http': (receive: CallbackReceiver) => createServer(nodeCallbacks(receive)),
  Express: (receive: CallbackReceiver) =>
    createServer(express().use('/callbacks', express.json(), nodeCallbacks(receive))),
}
const query = '?lead_id=3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11&event=loan_issued'

describe.each(Object.entries(adapters))('%s', (_name, adapter) => {
  function open(receive: CallbackReceiver): Promise<string> {
    const server = adapter(receive)
    onTestFinished(() => server.closeAllConnections())
    return listen(server)
  }

  /** Sends a raw request: fetch would rewrite the target, and refuses the method TRACE. */
  const status = (origin: string, method: string, path: string, headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(origin)
    return new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, headers }, response => {
        response.resume()
        resolve(response.statusCode)
      })
      request.on('error', reject).end()
    })
  }

  it('passes callbacks to the receiver and returns its responses', async () => {
    const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
    const handled: CallbackEvent[] = []
    const allowedIps = ['127.0.0.1']
    const handle = (event: CallbackEvent) => void handled.push(event)
    const origin = await open(createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle, allowedIps }))
    const path = new URL(url).pathname + query
    const response = await fetch(origin + path)
    expect([response.status, await response.json()]).toEqual([200, { status: 'received' }])
    expect(handled).toHaveLength(1)
    for (const method of ['HEAD', 'POST', 'TRACE', 'OPTIONS']) expect(await status(origin, method, path)).toBe(405)
    expect(await status(origin, 'GET', `/callbacks//evil.example/${query}`)).toBe(404)
    expect(await status(origin, 'GET', path.replace('/callbacks/', '/callbacks%2F'))).toBe(404)
  })

  it('reads an absolute URL as the target, and ignores its host', async () => {
    const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
    const handle = vi.fn()
    const origin = await open(createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle }))
    const path = new URL(url).pathname + query
    expect(await status(origin, 'GET', `http://evil.example${path}`)).toBe(200)
    expect(handle).toHaveBeenCalledTimes(1)
    expect(await status(origin, 'GET', `http://evil.example/callbacks/wrong${query}`)).toBe(404)
  })

  it('verifies signatures over the original path, including the mount path', async () => {
    const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
    const origin = await open(
      createCallbackReceiver({ verify: { signature: { secrets: [secret] } }, handle: () => {} }),
    )
    const target = `/callbacks/it's${query}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': await signCallback({ secret, id: 'msg_1', timestamp, target }),
    }
    expect(await status(origin, 'GET', target, headers)).toBe(200)
    expect(await status(origin, 'GET', `http://proxy.example${target}`, headers)).toBe(200)
    expect(await status(origin, 'GET', `${target}&more=1`, headers)).toBe(401)
  })
})

const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const path = `${new URL(url).pathname}?lead_id=${lead_id}&event=loan_issued`

function receiver(options: object = {}) {
  const handled: CallbackEvent[] = []
  const handle = (event: CallbackEvent) => void handled.push(event)
  return { handled, receive: createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle, ...options }) }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function open(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => server.closeAllConnections())
  return await listen(server)
}

it('works over HTTP/2 with node:http2', async () => {
  const { receive, handled } = receiver({ allowedIps: ['127.0.0.1'] })
  const client = connect(await listen(createHttp2Server(nodeCallbacks(receive))))
  onTestFinished(() => client.close())
  const status = (method: string) =>
    new Promise<unknown>((resolve, reject) => {
      const stream = client.request({ ':path': path, ':method': method })
      stream.on('error', reject).on('response', headers => resolve(headers[':status']))
      stream.resume().end()
    })
  expect([await status('GET'), await status('HEAD')]).toEqual([200, 405])
  expect(handled).toHaveLength(1)
})

it('works under a strict Express router, after its body parsers', async () => {
  const { receive, handled } = receiver()
  const router = express.Router({ strict: true, caseSensitive: true })
  router.use('/callbacks', nodeCallbacks(receive))
  const origin = await open(express().use(express.urlencoded(), express.json()).use('/v1', router))
  expect((await fetch(`${origin}/v1${path}`)).status).toBe(200)
  expect((await fetch(`${origin}/v1${path.replace('?', '//?')}`)).status).toBe(404)
  expect(handled).toHaveLength(1)
})

it('verifies the whole target under an Express mount path', async () => {
  const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
  const { receive, handled } = receiver({ verify: { signature: { secrets: [secret] } } })
  const origin = await open(express().use('/callbacks', nodeCallbacks(receive)))
  const { headers } = await createTestCallback({ url: `${origin}/callbacks`, lead_id, event: 'approved', secret })
  const target = `/callbacks?lead_id=${lead_id}&event=approved`
  expect((await fetch(origin + target, { headers })).status).toBe(200)
  expect(handled).toHaveLength(1)
})

it.each([
  [true, '203.0.113.7', 200],
  [true, '203.0.114.7', 403],
  [false, '203.0.113.7', 403],
])('uses the forwarded address only if Express trusts the proxy (%s, %s)', async (trust, ip, status) => {
  const { receive } = receiver({ allowedIps: ['203.0.113.0/24'] })
  const app = express().set('trust proxy', trust).use(nodeCallbacks(receive))
  const reply = await fetch((await open(app)) + path, { headers: { 'x-forwarded-for': ip } })
  expect(reply.status).toBe(status)
})

it('verifies node:http and Express requests directly, also under a mount path', async () => {
  const verify = { urlSecrets: [secret] }
  const app = express().use('/callbacks', async (request, response) => {
    response.json(await verifyCallback(request, { verify, ip: request.ip, allowedIps: ['127.0.0.1'] }))
  })
  const plain = async (message: IncomingMessage, response: ServerResponse) =>
    void response.end(JSON.stringify(await verifyCallback(message, { verify })))
  for (const listener of [app, plain]) {
    const reply = await fetch((await open(listener)) + path)
    expect(await reply.json()).toMatchObject({ lead_id, event: 'approved' })
  }
})

describe('behind a proxy that strips part of the path', () => {
  const signing = createTestSigningSecret()
  const strips = async (listener: RequestListener) => {
    const origin = await open(listener)
    const { headers, url: signed } = await createTestCallback({ url, secret: signing, lead_id, event: 'approved' })
    return await fetch(signed.replace('http://127.0.0.1/callbacks', origin), { headers })
  }
  const verify = { urlSecrets: [secret], signature: { secrets: [signing] } }

  it('verifies a signature over the target that `target` returns', async () => {
    const { receive, handled } = receiver({ verify })
    expect((await strips(nodeCallbacks(receive))).status).toBe(401)
    expect((await strips(nodeCallbacks(receive, { target: request => `/callbacks${request.url}` }))).status).toBe(200)
    expect(handled).toMatchObject([{ assurance: 'signature' }])
  })

  it('responds 500 if `target` throws, and passes the error to `onError`', async () => {
    const onError = vi.fn()
    const error = new Error('no header')
    const { receive, handled } = receiver({ verify, onError })
    const target = () => {
      throw error
    }
    expect((await strips(nodeCallbacks(receive, { target }))).status).toBe(500)
    expect(onError).toHaveBeenCalledExactlyOnceWith(error)
    expect(handled).toEqual([])
  })

  it('accepts only a function', () => {
    const create = () => nodeCallbacks(receiver().receive, { target: '/callbacks' as never })
    expect(create).toThrow('`target` must be a function')
  })
})

it('resolves after the response is sent, so that frameworks can await it', async () => {
  const { receive } = receiver({ handle: () => new Promise(resolve => setImmediate(resolve)) })
  const ended = Promise.withResolvers<boolean>()
  const origin = await open(async (request, response) => {
    await nodeCallbacks(receive)(request, response)
    ended.resolve(response.writableEnded)
  })
  expect((await fetch(origin + path)).status).toBe(200)
  expect(await ended.promise).toBe(true)
})

it('responds 500 if the receiver rejects, and prints the error', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => printed.mockRestore())
  const error = new Error('not yet')
  const origin = await open(nodeCallbacks(() => Promise.reject(error)))
  expect((await fetch(origin + path)).status).toBe(500)
  expect(printed.mock.calls).toEqual([[error]])
})

it('does not reject if something else responded in the meantime', async () => {
  const unheard = vi.fn()
  process.on('unhandledRejection', unheard)
  const { promise, resolve } = Promise.withResolvers<void>()
  const { receive } = receiver({ handle: () => promise })
  const listener = nodeCallbacks(receive)
  const origin = await open((request, response: ServerResponse) => {
    const done = listener(request, response)
    response.writeHead(503).end()
    return done
  })
  expect((await fetch(origin + path)).status).toBe(503)
  resolve()
  await new Promise(turn => setImmediate(turn))
  process.off('unhandledRejection', unheard)
  expect(unheard).not.toHaveBeenCalled()
})
