import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Fetch } from '@lead-distribution/publisher-sdk'
import { Agent, fetch as undiciFetch } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { calls, clientOf, errorOf } from './calls.fixture.ts'
import { injected, lead } from './injected.fixture.ts'
import { replies, stalls } from './steps.fixture.ts'
import { listening, refusedBaseUrl, startWireServer, unansweringBaseUrl } from './wire-server.fixture.ts'

/** Connection options of the runtime's HTTP client. */
interface ConnectOptions {
  readonly timeout?: number
  readonly lookup?: (host: string, options: unknown, found: (error: null, addresses: object[]) => void) => void
}

/** The runtime's own `fetch`, with these connection options. */
async function fetchThatConnects(options: ConnectOptions): Promise<Fetch> {
  // The runtime creates its dispatcher on the first request, and does not export its class.
  await fetch('data:,')
  const own = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  const dispatcher = new own.constructor({ connect: options })
  onTestFinished(() => dispatcher.close())
  return (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)
}

/** A host with two addresses. Nothing listens at the first. */
const twoAddresses: ConnectOptions = {
  lookup: (_host, _options, found) =>
    found(
      null,
      ['127.0.0.2', '127.0.0.1'].map(address => ({ address, family: 4 })),
    ),
}

const { make, fine } = calls.submit
const neverSent = { code: 'not_sent', sent: 'no', retryable: true, meta: { status: null, attempts: 3 } }
const lost = { code: 'outcome_unknown', sent: 'maybe', retryable: false, meta: { status: null, attempts: 1 } }

/** A custom `fetch` with one connection to each host. */
function fetchWithOneConnection(): Fetch {
  const dispatcher = new Agent({ connections: 1 })
  onTestFinished(() => dispatcher.destroy())
  // The library has its own types.
  return (url, init) => undiciFetch(url, { ...init, dispatcher } as never) as never
}

describe('is resent, because nothing reached the service, after', () => {
  it("a connection that exceeds the runtime's connect time-out", async () => {
    const fetch = await fetchThatConnects({ timeout: 50 })
    const { client, steps } = clientOf(await unansweringBaseUrl(), { fetch, maxRetries: 1 })
    expect(await errorOf(make({ client }))).toMatchObject({ ...neverSent, meta: { attempts: 2 } })
    expect(steps()).toEqual(['attempt 1', 'retry 1', 'attempt 2', 'failure 2'])
  })

  it('the refusal of every address of a host', async () => {
    const { port } = new URL(await refusedBaseUrl())
    const { client } = clientOf(`http://localhost:${port}/api/v1`, { fetch: await fetchThatConnects(twoAddresses) })
    expect(await errorOf(make({ client }))).toMatchObject(neverSent)
  })

  it('a refused connection of a custom fetch', async () => {
    const { client } = clientOf(await refusedBaseUrl(), { fetch: fetchWithOneConnection() })
    expect(await errorOf(make({ client }))).toMatchObject(neverSent)
  })
})

describe('is unknown and not resent, because no error code proves that nothing was sent, after', () => {
  it('a connection that exceeds `timeoutMs`', async () => {
    const { client } = clientOf(await unansweringBaseUrl(), { timeoutMs: 300 })
    expect(await errorOf(make({ client }))).toMatchObject(lost)
  })

  it('a connection closed during the TLS handshake', async () => {
    let connections = 0
    const server = createServer(socket => {
      connections += 1
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end())
    })
    const { client } = clientOf(`${(await listening(server)).replace('http:', 'https:')}/api/v1`)
    expect(await errorOf(make({ client }))).toMatchObject(lost)
    expect(connections).toBe(1)
  })

  it('a wait in the pool of a custom fetch until its time-out', async () => {
    const server = await startWireServer(stalls)
    const { client } = clientOf(server.baseUrl, { fetch: fetchWithOneConnection() })
    const abort = new AbortController()
    const first = errorOf(make({ client, options: { signal: abort.signal } }))
    await expect.poll(() => server.reached.length).toBe(1)
    expect(await errorOf(make({ client, options: { timeoutMs: 300 } }))).toMatchObject(lost)
    abort.abort()
    await first
    expect(server.reached).toHaveLength(1)
  })
})

it("reaches a host's second address if the first refuses", async () => {
  const server = await startWireServer(replies(200, fine))
  const { port } = new URL(server.baseUrl)
  const { client } = clientOf(`http://localhost:${port}/api/v1`, { fetch: await fetchThatConnects(twoAddresses) })
  expect((await make({ client })).meta.attempts).toBe(1)
  expect(server.reached).toHaveLength(1)
})

it('says that the lead may exist if its signal aborts while connecting, because its `fetch` may ignore the signal', async () => {
  const server = await startWireServer(replies(200, fine))
  const { port } = new URL(server.baseUrl)
  const { lookup, asked, answer } = heldLookup()
  const inner = await fetchThatConnects({ lookup })
  const fetch: Fetch = (url, { signal: _, ...init }) => inner(url, init)
  const { client } = clientOf(`http://localhost:${port}/api/v1`, { fetch })
  const controller = new AbortController()
  const error = errorOf(make({ client, options: { signal: controller.signal } }))
  await asked
  controller.abort()
  expect(await error).toMatchObject({ code: 'aborted', sent: 'maybe', retryable: false })
  answer()
  await expect.poll(() => server.reached.length).toBe(1)
})

it('opens a new connection if the server closed the kept-alive one', async () => {
  const server = await startWireServer(replies(200, fine))
  const { client } = clientOf(server.baseUrl)
  await make({ client })
  // The runtime keeps a connection only after its response was read.
  await setImmediate()
  server.hangUp()
  await expect.poll(server.open).toBe(0)
  expect((await make({ client })).meta.attempts).toBe(1)
  expect(server.connections()).toBe(2)
})

/** A DNS look-up that resolves when the test says so. Until then, nothing connects. */
function heldLookup() {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  let answer = () => {}
  const lookup: ConnectOptions['lookup'] = (_host, _options, found) => {
    answer = () => found(null, [{ address: '127.0.0.1', family: 4 }])
    resolve()
  }
  return { lookup, asked, answer: () => answer() }
}

const program = (baseUrl: string) => `
  import { createPublisher } from '@lead-distribution/publisher-sdk'
  const publisher = createPublisher({ baseUrl: '${baseUrl}', environment: 'sandbox' })
  const ended = await publisher.submit(${JSON.stringify(lead)}).catch(error => error)
  console.log(JSON.stringify([ended.outcome ?? ended.code, ended.meta.attempts]))`

/** Returns the result of a submission by another process that uses a proxy. */
async function submitThrough(proxy: string, baseUrl: string) {
  const proxied = {
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    NO_PROXY: '',
    no_proxy: '',
  }
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(baseUrl)], {
    cwd: `${root}/apps/e2e`,
    env: { ...process.env, ...proxied, NODE_USE_ENV_PROXY: '1', LEAD_PUBLISHER_API_KEY: injected.key },
    timeout: 100_000,
  })
  return JSON.parse((await node).stdout)
}

it("treats a proxy's refusal to connect, which has no code of its own, as a lost reply", async () => {
  const asked: string[] = []
  const proxy = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', data => {
      asked.push(data.toString('latin1'))
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
  })
  expect(await submitThrough(await listening(proxy), 'https://acme.example.com/api/v1')).toEqual(['unknown', 1])
  expect(asked.map(text => text.split('\r\n')[0])).toEqual(['CONNECT acme.example.com:443 HTTP/1.1'])
  expect(asked.join()).not.toContain(injected.key)
})

it('knows that nothing reached the service if the proxy is not there', async () => {
  const server = await startWireServer(replies(200, { lead_id: 'l', status: 'new' }))
  const { origin } = new URL(await refusedBaseUrl())
  expect(await submitThrough(origin, server.baseUrl)).toEqual(['not_sent', 3])
  expect(server.connections()).toBe(0)
})
