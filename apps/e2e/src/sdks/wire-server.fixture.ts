import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** A raw request. */
export interface Reached {
  readonly method: string
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A server's action once a request is complete. */
export type Step = (socket: Socket, request: Reached) => void

/**
 * A server that writes bytes, not responses, so that it can inject every wire fault. Takes its steps in turn, repeats
 * the last, and ends with the test.
 */
export async function startWireServer(...steps: [Step, ...Step[]]) {
  const reached: Reached[] = []
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer(socket => {
    connections += 1
    open.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    let text = ''
    socket.on('data', data => {
      text += data.toString('latin1')
      const request = wholeRequest(text)
      if (!request) return
      text = ''
      const step = steps[Math.min(reached.length, steps.length - 1)] as Step
      reached.push(request)
      step(socket, request)
    })
  })
  const origin = await listening(server)
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
  })
  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    /** Every complete request, in order. */
    reached,
    /** The number of open connections. */
    open: () => open.size,
    /** The number of connections so far. */
    connections: () => connections,
    /** Closes the open connections. */
    hangUp: () => {
      for (const socket of open) socket.end()
    },
  }
}

/** Listens on a free port of this machine until the test ends; returns scheme, host and port. */
export async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A base URL where nothing listens. */
export async function refusedBaseUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}/api/v1`
}

const listener = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/**
 * A base URL whose port listens but accepts no connection: a sleeping thread owns it, and its backlog is full.
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
  // Two fill the backlog. The rest make sure.
  for (let index = 0; index < 6; index += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    waiting.push(socket)
  }
  await Promise.all(waiting.slice(0, 2).map(socket => (socket.connecting ? once(socket, 'connect') : undefined)))
  return `http://127.0.0.1:${port}/api/v1`
}

// A connection carries one request at a time, with a content length, as `fetch` sends a text.
function wholeRequest(text: string): Reached | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  const headers = Object.fromEntries(
    lines.map(header => [header.split(':')[0]?.toLowerCase(), header.slice(header.indexOf(':') + 1).trim()]),
  )
  const body = text.slice(end + 4)
  return body.length < Number(headers['content-length'] ?? 0) ? undefined : { method, target, headers, body }
}
