import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSandboxRouter, type SandboxRouter, startServer } from '@lead-distribution/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { exchangeRaw } from '../adapters/sockets.ts'
import { createTenant } from '../adapters/tenant.ts'

const mebibyte = 1_048_576
const leadPath = '/api/v1/lead'
const demoKey = 'sandbox_pub_demo_0000000000000000'
const { start } = launcher()

async function ownServer(options: Parameters<typeof startServer>[0] = {}): Promise<string> {
  const server = await startServer({ port: 0, logLevel: 'silent', ...options })
  onTestFinished(() => server.close())
  return server.url
}

async function mountedRouter(): Promise<string> {
  const sandbox = createSandboxRouter({ logLevel: 'silent' })
  onTestFinished(() => sandbox.close())
  return mounted(sandbox)
}

async function mounted(sandbox: SandboxRouter): Promise<string> {
  // As an application of Express hands requests over, which this package does not depend on.
  const handle = sandbox as unknown as (request: IncomingMessage, response: ServerResponse, next: () => void) => void
  const server = createServer((request, response) => handle(request, response, () => response.writeHead(404).end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const head = (path: string, ...headers: string[]) =>
  `${[`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json', ...headers].join('\r\n')}\r\n\r\n`

describe.each([
  ['a server', ownServer],
  ['a mounted router', mountedRouter],
] as const)('%s', (_title, open) => {
  it('refuses a caller without a key before the body is there', async () => {
    const url = await open()
    const chunks = [head(leadPath, `content-length: ${mebibyte}`), '{']
    expect(await exchangeRaw(url, { chunks, until: /\}$/ })).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('refuses a body by its length before it is there', async () => {
    const url = await open()
    const chunks = [head(leadPath, `apikey: ${demoKey}`, 'content-length: 262145'), '{']
    expect(await exchangeRaw(url, { chunks, until: /\}$/ })).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('gives the refusal to clients that send their whole body first', async () => {
    const url = await open()
    const body = 'x'.repeat(4 * mebibyte)
    const headers = { 'content-type': 'application/json' }
    const fetched = await fetch(`${url}${leadPath}`, { method: 'POST', headers, body })
    expect([fetched.status, (await fetched.json()).error]).toEqual([401, 'unauthorized'])
    const outgoing = httpRequest(`${url}${leadPath}`, { method: 'POST', headers })
    const response = once(outgoing, 'response') as Promise<[IncomingMessage]>
    await new Promise<void>(resolve => outgoing.end(body, resolve))
    const [{ statusCode }, content] = await response.then(async ([came]) => [came, await text(came)] as const)
    expect([statusCode, JSON.parse(content).error]).toEqual([401, 'unauthorized'])
  })

  it('takes the next request of a connection behind a body that nobody wanted', async () => {
    const url = await open()
    const unwanted = `${head(leadPath, 'content-length: 200000')}${'x'.repeat(200_000)}`
    const chunks = [unwanted, unwanted, head(leadPath, 'content-length: 0')]
    const reply = await exchangeRaw(url, { chunks, until: /(?:unauthorized[\s\S]*){3}\}$/ })
    expect(reply.match(/HTTP\/1\.1 401 /g)).toHaveLength(3)
  })

  it('closes the connection of a sender that goes on for ever', async () => {
    const url = await open()
    const chunk = `100000\r\n${'x'.repeat(mebibyte)}\r\n`
    const reply = await exchangeRaw(url, {
      chunks: [head(leadPath, 'transfer-encoding: chunked'), ...Array(20).fill(chunk)],
    })
    expect(['', 'HTTP/1.1 401 Unauthorized']).toContain(reply.split('\r\n', 1)[0])
  })

  it('refuses two Host headers, everywhere', async () => {
    const url = await open()
    for (const path of ['/api/v1/lead', '/_sandbox/v1/tenants', '/_sandbox/health', '/_sandbox/docs']) {
      const lines = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'HOST: evil.example']
      const reply = await exchangeRaw(url, { chunks: [`${lines.join('\r\n')}\r\n\r\n`], until: /\}$/ })
      expect([path, reply.split('\r\n', 1)[0], reply]).toEqual([
        path,
        'HTTP/1.1 400 Bad Request',
        expect.stringContaining('malformed_request'),
      ])
    }
  })
})

it('refuses a sender that waits for 100 Continue without one, and closes', async () => {
  const url = await ownServer()
  const chunks = [head(leadPath, 'content-length: 100', 'expect: 100-continue')]
  const reply = await exchangeRaw(url, { chunks })
  expect(reply).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i)
})

it('holds no memory for 800 uploads of 1 MiB without a key', async () => {
  const server = await start()
  const residentSet = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.child.pid)])) * 1024
  const body = Buffer.alloc(mebibyte - 1, 'x')
  const chunks = [head(leadPath, `content-length: ${mebibyte}`), body]
  await exchangeRaw(server.url, { chunks, until: /\}$/ })
  const before = residentSet()
  const sockets = Array.from({ length: 800 }, () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined)
    for (const chunk of chunks) socket.write(chunk)
    return socket
  })
  // Each has its answer and has sent all but the last byte: whatever the server keeps of it, it keeps now.
  const replies = sockets.map(async socket => {
    const sent = socket.writableLength === 0 ? undefined : once(socket, 'drain')
    const [reply] = await once(socket, 'data')
    await sent
    return String(reply).slice(9, 12)
  })
  expect(new Set(await Promise.all(replies))).toEqual(new Set(['401']))
  expect((residentSet() - before) / mebibyte).toBeLessThan(200)
  for (const socket of sockets) socket.destroy()
})

it('refuses what it has no room for with 503 and Retry-After, and answers health and metrics meanwhile', async () => {
  const adapter = await openExpressAdapter({ limits: { maxRequests: 3 } })
  onTestFinished(() => adapter.close())
  const tenant = await createTenant(adapter)
  const controller = new AbortController()
  // A request whose body does not come is in flight; one that waits for a callback would not be.
  const waiting = Array.from({ length: 3 }, () => stallIn(adapter.url, tenant.publisherKey, controller.signal))
  await expect.poll(async () => (await tenant.submit()).status).toBe(503)
  const { headers, json } = await tenant.submit()
  expect([headers['retry-after'], json.error]).toEqual(['1', 'overloaded'])
  expect((await tenant.control('GET')).status).toBe(503)
  for (const path of ['/_sandbox/health', '/_sandbox/metrics'])
    expect((await adapter.request('GET', path)).status).toBe(200)
  controller.abort()
  await Promise.allSettled(waiting)
})

/** A submission of which the second half of the body never comes, until it is aborted. */
function stallIn(url: string, apikey: string, signal: AbortSignal): Promise<unknown> {
  const headers = { apikey, 'content-type': 'application/json', 'content-length': '10' }
  const outgoing = httpRequest(`${url}/api/v1/lead`, { method: 'POST', headers, signal, agent: false })
  outgoing.write('{"a":')
  return once(outgoing, 'close').catch(() => undefined)
}

it('refuses bodies that it has no room for with 503, and takes them once there is room', async () => {
  const url = await ownServer({ limits: { maxBytes: 1_000 } })
  const send = (body: string) => {
    const headers = { apikey: demoKey, 'content-type': 'application/json' }
    return fetch(`${url}${leadPath}`, { method: 'POST', headers, body })
  }
  const refused = await send(JSON.stringify('x'.repeat(1_000)))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await send(JSON.stringify('x'.repeat(900)))).status).toBe(400)
})

it('lets a mounted router close although a sender stalls', async () => {
  const sandbox = createSandboxRouter({ logLevel: 'silent' })
  const url = await mounted(sandbox)
  const chunks = [head(leadPath, `apikey: ${demoKey}`, 'content-length: 100', 'expect: 100-continue'), '{']
  const reply = exchangeRaw(url, { chunks })
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  for (const chunk of chunks) socket.write(chunk)
  // Its server has sent the 100: the request is under way.
  await once(socket, 'data')
  await sandbox.close()
  expect(await reply).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
})

it('is not kept from closing by stalled, slow or refused senders', async () => {
  const server = await startServer({ port: 0, logLevel: 'silent', closeGraceMs: 2 ** 31 - 1 })
  const { port } = new URL(server.url)
  const senders = [
    [head(leadPath, `apikey: ${demoKey}`, 'content-length: 100'), '{'],
    [head('/_sandbox/v1/tenants', 'content-length: 100'), '{'],
    [head(leadPath, 'content-length: 100'), '{'],
    ['POST /api/v1/lead HTT'],
    [],
  ].map(chunks => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    for (const chunk of chunks) socket.write(chunk)
    return socket
  })
  await once(senders[2] as (typeof senders)[0], 'data')
  const closed = senders.map(socket => new Promise(resolve => socket.on('close', resolve)))
  await server.close()
  await Promise.all(closed)
})

it('lets go of a receiver that leaves responses unread', async () => {
  const url = await ownServer({ limits: { responseMs: 200 } })
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  // More than the system buffers between the two.
  socket.pause().write('GET /_sandbox/openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(300))
  const isClosed = () => {
    socket.write('\r\n')
    return socket.destroyed
  }
  await expect.poll(isClosed, { timeout: 60_000 }).toBe(true)
})
