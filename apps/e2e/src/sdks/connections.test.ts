import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Fetch } from '@lead-distribution/publisher-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { injected, lead, leaks } from './injected.fixture.ts'
import { hangsUp, replies, resets } from './steps.fixture.ts'
import { listening, refusedBaseUrl, type Step, startWireServer } from './wire-server.fixture.ts'

/** How the runtime's own client of HTTP connects. */
interface ConnectOptions {
  readonly timeout?: number
  readonly lookup?: (host: string, options: unknown, found: (error: null, addresses: object[]) => void) => void
}

/** The runtime's own `fetch`, with these options of its connections. */
export async function fetchThatConnects(options: ConnectOptions): Promise<Fetch> {
  // The runtime makes its dispatcher at the first request, and exports no class of it.
  await fetch('data:,')
  const own = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  const dispatcher = new own.constructor({ connect: options })
  onTestFinished(() => dispatcher.close())
  return (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)
}

const listener = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/**
 * A base URL whose port listens and takes no connection: a thread that sleeps forever has it, and its queue is full.
 * The system drops what asks then, as a firewall does.
 */
export async function unansweringBaseUrl(): Promise<string> {
  const worker = new Worker(listener, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = (await once(worker, 'message')) as [number]
  const waiting: Socket[] = []
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy()
  })
  // Two fill the queue; the rest only make sure.
  for (let index = 0; index < 6; index += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    waiting.push(socket)
  }
  await Promise.all(waiting.slice(0, 2).map(socket => (socket.connecting ? once(socket, 'connect') : undefined)))
  return `http://127.0.0.1:${port}/api/v1`
}

const neverSent = { code: 'not_sent', sent: 'no', retryable: true, meta: { status: null, attempts: 3 } }
const threeAttempts = ['attempt 1', 'retry 1', 'attempt 2', 'retry 2', 'attempt 3', 'failure 3']

/** A TCP server that ends each connection at its first bytes, and counts them. */
async function cuttingOrigin(how: 'end' | 'resetAndDestroy' | { says: string | Buffer }) {
  let connections = 0
  const server = createServer(socket => {
    connections += 1
    socket.on('error', () => undefined)
    socket.once('data', () => {
      if (typeof how === 'object') socket.end(how.says)
      else socket[how]()
    })
  })
  return { origin: await listening(server), connections: () => connections }
}

describe.each(callNames)('%s', name => {
  const { make, once, fine } = calls[name]
  const lost = { code: 'outcome_unknown', sent: 'maybe', retryable: !once, meta: { attempts: once ? 1 : 3 } }

  describe('is sent again, for nothing reached the service, after', () => {
    it('a refused connection', async () => {
      const { client, events, steps } = clientOf(await refusedBaseUrl())
      const error = await errorOf(make({ client }))
      expect(error).toMatchObject(neverSent)
      expect(steps()).toEqual(threeAttempts)
      expect([...leaks(error), ...leaks(events)]).toEqual([])
    })

    it('a host that is not found', async () => {
      const { client, steps } = clientOf('https://nowhere.invalid/api/v1', { environment: 'sandbox' })
      expect(await errorOf(make({ client }))).toMatchObject(neverSent)
      expect(steps()).toEqual(threeAttempts)
    })

    it('a connection that does not come about in the time of the runtime', async () => {
      const fetch = await fetchThatConnects({ timeout: 50 })
      const { client, steps } = clientOf(await unansweringBaseUrl(), { fetch, maxRetries: 1 })
      expect(await errorOf(make({ client }))).toMatchObject({ ...neverSent, meta: { attempts: 2 } })
      expect(steps()).toEqual(['attempt 1', 'retry 1', 'attempt 2', 'failure 2'])
    })

    it('a connection that is closed while it is being secured', async () => {
      const { origin, connections } = await cuttingOrigin('end')
      const { client } = clientOf(`${origin.replace('http:', 'https:')}/api/v1`)
      expect(await errorOf(make({ client }))).toMatchObject(neverSent)
      expect(connections()).toBe(3)
    })

    it('the refusal of every address of a host', async () => {
      const { port } = new URL(await refusedBaseUrl())
      const lookup = twoAddresses('127.0.0.2', '127.0.0.1')
      const { client } = clientOf(`http://localhost:${port}/api/v1`, { fetch: await fetchThatConnects({ lookup }) })
      expect(await errorOf(make({ client }))).toMatchObject(neverSent)
    })
  })

  it('reaches the second address of a host whose first refuses', async () => {
    const server = await startWireServer(replies(200, fine))
    const lookup = twoAddresses('127.0.0.2', '127.0.0.1')
    const { port } = new URL(server.baseUrl)
    const { client } = clientOf(`http://localhost:${port}/api/v1`, { fetch: await fetchThatConnects({ lookup }) })
    expect((await make({ client })).meta.attempts).toBe(1)
    expect(server.reached).toHaveLength(1)
  })

  it('is not sent again to a server with which no secure connection is possible', async () => {
    // An alert of TLS that says handshake_failure, and what a server without TLS says to a handshake.
    for (const says of [Buffer.from('15030300020228', 'hex'), 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
      const { origin, connections } = await cuttingOrigin({ says })
      const { client } = clientOf(`${origin.replace('http:', 'https:')}/api/v1`)
      const error = await errorOf(make({ client }))
      expect(error).toMatchObject({ ...neverSent, retryable: false, meta: { attempts: 1 } })
      expect(connections()).toBe(1)
    }
  })

  describe('while it connects', () => {
    it('has sent nothing when its time is over, and is sent again', async () => {
      const { client, steps } = clientOf(await unansweringBaseUrl(), { timeoutMs: 50 })
      expect(await errorOf(make({ client }))).toMatchObject(neverSent)
      expect(steps()).toEqual(threeAttempts)
    })

    it('has sent nothing when its deadline passes', async () => {
      const { client } = clientOf(await unansweringBaseUrl(), { deadlineMs: 50 })
      expect(await errorOf(make({ client }))).toMatchObject({ code: 'not_sent', sent: 'no', meta: { attempts: 1 } })
    })

    it.each([
      ['respects', (inner: Fetch): Fetch => inner],
      [
        'ignores',
        (inner: Fetch): Fetch =>
          (url, { signal: _, ...init }) =>
            inner(url, init),
      ],
    ])('sends nothing later, though its `fetch` %s the signal', async (_name, wrapped) => {
      const server = await startWireServer(replies(200, fine))
      const { port } = new URL(server.baseUrl)
      const { lookup, asked, answer } = heldLookup()
      const fetch = wrapped(await fetchThatConnects({ lookup }))
      const { client } = clientOf(`http://localhost:${port}/api/v1`, { fetch })
      const controller = new AbortController()
      const error = errorOf(make({ client, options: { signal: controller.signal } }))
      await asked
      controller.abort()
      expect(await error).toMatchObject({ code: 'aborted', sent: 'no', retryable: true })
      answer()
      await expect.poll(server.connections).toBe(1)
      await make({ client })
      expect(server.reached).toHaveLength(1)
    })
  })

  it('is not sent to a port that fetch refuses', async () => {
    const { client } = clientOf('http://127.0.0.1:6000/api/v1')
    const error = await errorOf(make({ client }))
    expect(error).toMatchObject({ ...neverSent, retryable: false, meta: { attempts: 1 } })
    expect(error.message).toContain('Check the base URL')
  })

  it('counts what the runtime sends again after a 421 as an attempt', async () => {
    const server = await startWireServer(replies(421), replies(200, fine))
    const { client, steps } = clientOf(server.baseUrl)
    expect((await make({ client })).meta).toMatchObject({ status: 200, attempts: 2 })
    expect(steps()).toEqual(['attempt 1', 'attempt 2', 'reply 2'])
    const again = await startWireServer(replies(421), resets)
    const error = await errorOf(make({ client: { ...client, baseUrl: again.baseUrl, maxRetries: 0 } }))
    expect(error).toMatchObject({ code: 'outcome_unknown', meta: { attempts: 2 } })
    expect(again.reached).toHaveLength(2)
  })

  it('counts as maybe processed when the connection is reset at its first bytes', async () => {
    const { origin, connections } = await cuttingOrigin('resetAndDestroy')
    const { client } = clientOf(`${origin}/api/v1`)
    expect(await errorOf(make({ client }))).toMatchObject(lost)
    expect(connections()).toBe(lost.meta.attempts)
  })

  describe('on a connection that was kept for it', () => {
    const fineTwice = async (second: Step) => {
      const server = await startWireServer(replies(200, fine), second, replies(200, fine))
      const { client } = clientOf(server.baseUrl)
      await make({ client })
      // The runtime keeps a connection only after its reply was read.
      await setImmediate()
      return { server, client }
    }

    it.each([
      ['closes', hangsUp],
      ['resets', resets],
    ])('counts as maybe processed when the server %s it as the request comes', async (_name, step) => {
      const { server, client } = await fineTwice(step)
      const second = make({ client })
      if (once) expect(await errorOf(second)).toMatchObject(lost)
      else expect((await second).meta.attempts).toBe(2)
      expect([server.reached.length, server.connections()]).toEqual(once ? [2, 1] : [3, 2])
    })

    it('takes a new one when the server closed it in between', async () => {
      const { server, client } = await fineTwice(replies(200, fine))
      server.hangUp()
      await expect.poll(server.open).toBe(0)
      expect((await make({ client })).meta.attempts).toBe(1)
      expect(server.connections()).toBe(2)
    })
  })
})

/** A look-up of a host that is answered when the test says so: until then, nothing connects. */
function heldLookup() {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  let answer = () => {}
  let held = true
  const lookup: ConnectOptions['lookup'] = (_host, _options, found) => {
    const answers = () => found(null, [{ address: '127.0.0.1', family: 4 }])
    if (!held) return answers()
    held = false
    answer = answers
    resolve()
  }
  return { lookup, asked, answer: () => answer() }
}

function twoAddresses(...addresses: [string, string]) {
  return (_host: string, _options: unknown, found: (error: null, addresses: object[]) => void) =>
    found(
      null,
      addresses.map(address => ({ address, family: 4 })),
    )
}

const program = (baseUrl: string) => `
  import { createPublisher } from '@lead-distribution/publisher-sdk'
  const publisher = createPublisher({ baseUrl: '${baseUrl}', environment: 'sandbox', backOff: { minDelayMs: 1 } })
  const { code, sent, meta } = await publisher.submit(${JSON.stringify(lead)}).catch(error => error)
  console.log(JSON.stringify([code, sent, meta.attempts]))`

/** The result of a submission by another process, which is set to use a proxy. */
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

it('takes a proxy that refuses to connect as never having reached the service', async () => {
  const asked: string[] = []
  const proxy = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', data => {
      asked.push(data.toString('latin1'))
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
  })
  expect(await submitThrough(await listening(proxy), 'https://acme.example.com/api/v1')).toEqual(['not_sent', 'no', 3])
  expect(asked.map(text => text.split('\r\n')[0])).toEqual(Array(3).fill('CONNECT acme.example.com:443 HTTP/1.1'))
  expect(asked.join()).not.toContain(injected.key)
})

it('takes a proxy that is not there as never having reached the service', async () => {
  const server = await startWireServer(replies(200, { lead_id: 'l', status: 'new' }))
  const { origin } = new URL(await refusedBaseUrl())
  expect(await submitThrough(origin, server.baseUrl)).toEqual(['not_sent', 'no', 3])
  expect(server.connections()).toBe(0)
})
