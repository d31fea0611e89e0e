import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { Fetch } from '@lead-distribution/publisher-sdk'
import { onTestFinished } from 'vitest'

/** How the runtime's own client of HTTP connects. */
interface ConnectOptions {
  readonly timeout?: number
  readonly lookup?: (host: string, options: unknown, found: (error: null, addresses: object[]) => void) => void
}

/** The runtime's own `fetch`, which connects as told. */
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
