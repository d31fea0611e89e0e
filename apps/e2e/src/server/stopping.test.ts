import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Account } from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { submissionOf } from '../adapters/tenant.ts'

const { start } = launcher()

interface Reply {
  readonly status: number
  readonly closes: boolean
}

/** A client that sends its requests one after another on one connection. */
class KeepAliveClient {
  written = 0
  answered = 0
  readonly closed: Promise<unknown>
  private buffered = ''
  private readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise(resolve => socket.once('close', resolve))
    socket.on('data', data => {
      this.buffered += data
    })
    socket.on('error', () => undefined)
  }

  static async open(port: string): Promise<KeepAliveClient> {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    return new KeepAliveClient(socket)
  }

  /** Sends a request. Resolves to its response, or undefined if there is none. */
  async send(head: string, body = ''): Promise<Reply | undefined> {
    this.written += 1
    const length = `content-length: ${Buffer.byteLength(body)}`
    this.socket.write(`${head}\r\nhost: 127.0.0.1\r\n${length}\r\n\r\n${body}`)
    for (;;) {
      const reply = this.take()
      if (reply) return reply
      if (this.socket.closed) return undefined
      await new Promise(resolve => this.socket.once('data', resolve).once('close', resolve))
    }
  }

  /** Reads a complete response. */
  take(): Reply | undefined {
    const end = this.buffered.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const head = this.buffered.slice(0, end).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1])
    if (Buffer.byteLength(this.buffered) < end + 4 + length) return undefined
    this.buffered = Buffer.from(this.buffered)
      .subarray(end + 4 + length)
      .toString()
    this.answered += 1
    return { status: Number(head.slice(9, 12)), closes: head.includes('connection: close') }
  }
}

const submission = (tenant: Account, email: string) => JSON.stringify(submissionOf(tenant, email))
const submit = ({ publisher }: Account) =>
  `POST /api/v1/lead HTTP/1.1\r\napikey: ${publisher.api_key}\r\ncontent-type: application/json`

describe('a server stopped by SIGTERM', () => {
  it('responds to every request that keep-alive clients wrote, in 2 rounds of 20 clients', async () => {
    for (let round = 0; round < 2; round++) {
      const server = await start('--log-level', 'silent')
      const { port } = new URL(server.url)
      const clients = await Promise.all(Array.from({ length: 20 }, () => KeepAliveClient.open(port)))
      let isStopping = false
      const runs = clients.map(async (client, number) => {
        // Bounded: if the server never announces that it closes, the number of requests ends the test.
        for (let sent = 0; sent < 5_000; sent++) {
          const reply = await client.send(
            submit(server.tenant),
            submission(server.tenant, `${number}-${sent}@example.com`),
          )
          if (!isStopping && sent === 3 && number === 0) {
            isStopping = true
            server.child.kill('SIGTERM')
          }
          if (reply?.closes !== false) return reply
        }
        return undefined
      })
      const last = await Promise.all(runs)
      expect(last).toEqual(Array(20).fill({ status: 200, closes: true }))
      for (const { written, answered } of clients) expect(answered).toBe(written)
      expect(await server.exit).toMatchObject({ code: 0, signal: null })
    }
  })

  it('still responds to a client that sends its next request a moment later, and is not ready in the meantime', async () => {
    const server = await start('--log-level', 'silent')
    const { port } = new URL(server.url)
    const [publisher, balancer, fresh, watcher] = await Promise.all([1, 2, 3, 4].map(() => KeepAliveClient.open(port)))
    for (const client of [publisher, balancer])
      expect(await client?.send('GET /_sandbox/health/ready HTTP/1.1')).toEqual({ status: 200, closes: false })
    server.child.kill('SIGTERM')
    // The stop has begun once a request sees that the server is not ready.
    await expect.poll(() => watcher?.send('GET /_sandbox/health/ready HTTP/1.1')).toMatchObject({ status: 503 })
    const replies = await Promise.all([
      publisher?.send(submit(server.tenant), submission(server.tenant, 'ana@example.com')),
      balancer?.send('GET /_sandbox/health/ready HTTP/1.1'),
      fresh?.send('GET /_sandbox/health/live HTTP/1.1'),
    ])
    expect(replies).toEqual([200, 503, 200].map(status => ({ status, closes: true })))
    expect(await server.exit).toMatchObject({ code: 0 })
  })

  it('responds to all requests that arrived on a connection before their turn', async () => {
    const server = await start('--log-level', 'silent')
    const client = await KeepAliveClient.open(new URL(server.url).port)
    const headers = { 'content-type': 'application/json' }
    const fault = { match: { operation: 'submitLead' }, effect: { latency_ms: 500 }, times: 1 }
    const faults = `${server.url}/_sandbox/v1/tenants/demo/faults`
    await fetch(faults, { method: 'POST', headers, body: JSON.stringify(fault) })
    const first = client.send(submit(server.tenant), submission(server.tenant, 'one@example.com'))
    const second = client.send(submit(server.tenant), submission(server.tenant, 'two@example.com'))
    // Both were read: the second waits for the first.
    const counted = async () => {
      const { requests } = (await (await fetch(`${server.url}/_sandbox/v1/tenants/demo/requests`)).json()) as {
        requests: object[]
      }
      return requests.length
    }
    await expect.poll(counted).toBe(1)
    server.child.kill('SIGTERM')
    await Promise.all([first, second])
    expect([client.written, client.answered]).toEqual([2, 2])
    expect(await server.exit).toMatchObject({ code: 0 })
  })

  it('closes an idle connection within a second, and one that still waits for its response within ten', async () => {
    const server = await start('--log-level', 'silent')
    const faults = `${server.url}/_sandbox/v1/tenants/demo/faults`
    const delay = (latency_ms: number) =>
      fetch(faults, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ match: { operation: 'submitLead' }, effect: { latency_ms }, times: 1 }),
      })
    await delay(5_000)
    await delay(600_000)
    const { port } = new URL(server.url)
    const open = () => KeepAliveClient.open(port)
    const [idle, ...waiting] = [await open(), await open(), await open()]
    await idle.send('GET /_sandbox/health/live HTTP/1.1')
    const ends: unknown[] = []
    const replies = waiting.map(async (client, number) => {
      const reply = await client.send(submit(server.tenant), submission(server.tenant, `${number}@example.com`))
      ends.push(reply ?? 'cut')
    })
    const last = async () => ((await (await fetch(faults)).json()) as { faults: object[] }).faults.at(-1)
    await expect.poll(last).toMatchObject({ matched: 1 })
    server.child.kill('SIGTERM')
    await Promise.all([...replies, idle.closed.then(() => ends.push('idle'))])
    expect(ends).toEqual(['idle', { status: 200, closes: true }, 'cut'])
    // A stop that takes twice as long exits with 1.
    expect(await server.exit).toMatchObject({ code: 0 })
  })
})
