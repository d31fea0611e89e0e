import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSandboxRouter, startServer } from '@lead-distribution/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exchangeRaw } from '../adapters/sockets.ts'

const mebibyte = 1_048_576
const leadPath = '/api/v1/lead'
const demoKey = 'sandbox_pub_demo_0000000000000000'

async function ownServer(): Promise<string> {
  const server = await startServer({ port: 0, logLevel: 'silent' })
  onTestFinished(() => server.close())
  return server.url
}

async function mountedRouter(): Promise<string> {
  const sandbox = createSandboxRouter({ logLevel: 'silent' })
  // Passes on requests like an Express application, without a dependency on Express.
  const handle = sandbox as unknown as (request: IncomingMessage, response: ServerResponse, next: () => void) => void
  const server = createServer((request, response) => handle(request, response, () => response.writeHead(404).end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await sandbox.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const head = (path: string, ...headers: string[]) =>
  `${[`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json', ...headers].join('\r\n')}\r\n\r\n`

describe.each([
  ['a server', ownServer],
  ['a mounted router', mountedRouter],
] as const)('%s', (_title, open) => {
  it('refuses a caller without a key before the body arrives', async () => {
    const url = await open()
    const chunks = [head(leadPath, `content-length: ${mebibyte}`), '{']
    expect(await exchangeRaw(url, { chunks, until: /\}$/ })).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('refuses a body by its length before it arrives', async () => {
    const url = await open()
    const chunks = [head(leadPath, `apikey: ${demoKey}`, 'content-length: 262145'), '{']
    expect(await exchangeRaw(url, { chunks, until: /\}$/ })).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('delivers the refusal to clients that send their whole body first', async () => {
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

  it("accepts a connection's next request after an unread body", async () => {
    const url = await open()
    const unwanted = `${head(leadPath, 'content-length: 200000')}${'x'.repeat(200_000)}`
    const chunks = [unwanted, unwanted, head(leadPath, 'content-length: 0')]
    const reply = await exchangeRaw(url, { chunks, until: /(?:unauthorized[\s\S]*){3}\}$/ })
    expect(reply.match(/HTTP\/1\.1 401 /g)).toHaveLength(3)
  })

  it('closes the connection of an endless sender', async () => {
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

it('refuses a sender that expects 100-continue without sending 100 first, and closes the connection', async () => {
  const url = await ownServer()
  const chunks = [head(leadPath, 'content-length: 100', 'expect: 100-continue')]
  const reply = await exchangeRaw(url, { chunks })
  expect(reply).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i)
})

it('closes despite stalled, slow or refused senders', async () => {
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
