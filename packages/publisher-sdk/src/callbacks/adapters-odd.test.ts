import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type CallbackEvent, createCallbackReceiver, createCallbackUrl } from '../callbacks.ts'
import { expressCallbacks } from '../express.ts'
import { nodeCallbacks } from '../node.ts'
import { createTestCallback } from '../testing.ts'

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

it('speaks HTTP/2 by way of node:http2', async () => {
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

it('stands below a strict router of Express, after its body parsers', async () => {
  const { receive, handled } = receiver()
  const router = express.Router({ strict: true, caseSensitive: true })
  router.use('/callbacks', expressCallbacks(receive))
  const origin = await open(express().use(express.urlencoded(), express.json()).use('/v1', router))
  expect((await fetch(`${origin}/v1${path}`)).status).toBe(200)
  expect((await fetch(`${origin}/v1${path.replace('?', '/?')}`)).status).toBe(404)
  expect(handled).toHaveLength(1)
})

it('reads the whole target below the mount path of Express, by the listener of node:http too', async () => {
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
])('believes what a proxy says of the address only where Express trusts it (%s, %s)', async (trust, ip, status) => {
  const { receive } = receiver({ allowedIps: ['203.0.113.0/24'] })
  const app = express().set('trust proxy', trust).use(expressCallbacks(receive))
  const reply = await fetch((await open(app)) + path, { headers: { 'x-forwarded-for': ip } })
  expect(reply.status).toBe(status)
})

it('rejects nothing where someone else has answered meanwhile', async () => {
  const unheard = vi.fn()
  process.on('unhandledRejection', unheard)
  const { promise, resolve } = Promise.withResolvers<void>()
  const { receive } = receiver({ handle: () => promise })
  const listener = nodeCallbacks(receive)
  const origin = await open((request, response: ServerResponse) => {
    listener(request, response)
    response.writeHead(503).end()
  })
  expect((await fetch(origin + path)).status).toBe(503)
  resolve()
  await new Promise(turn => setImmediate(turn))
  process.off('unhandledRejection', unheard)
  expect(unheard).not.toHaveBeenCalled()
})
