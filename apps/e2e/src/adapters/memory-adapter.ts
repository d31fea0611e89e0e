import { randomBytes } from 'node:crypto'
import {
  type CreateSandboxOptions,
  createMemoryStorage,
  createSandbox,
  type Dialer,
} from '@lead-distribution/simulator'
import { type Adapter, decodeResponse, encodeRequest } from './adapter.ts'

/** The sandbox without a socket, called directly. It sends callbacks with `fetch`. */
export async function openMemoryAdapter(options: Partial<CreateSandboxOptions> = {}): Promise<Adapter> {
  const url = 'http://127.0.0.1:4010'
  const errors: unknown[] = []
  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    timer: {
      after(ms, run) {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    },
    entropy: { bytes: count => new Uint8Array(randomBytes(count)) },
    dialer: fetchDialer,
    origin: url,
    access: {},
    allowedCallbackHosts: [],
    onError: error => errors.push(error),
    ...options,
  })
  return {
    url,
    async request(method, target, request = {}) {
      const { headers: given, body } = encodeRequest(request)
      const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
      const reply = await sandbox.handle({ method, target, headers: { host: '127.0.0.1:4010', ...headers }, body })
      if (reply.broken === 'cut') throw new Error('The connection was cut.')
      if (reply.broken === 'withheld') return gaveUp(request.signal)
      return decodeResponse(reply.status, reply.headers, method === 'HEAD' ? '' : reply.body)
    },
    async stream(target, headers = {}) {
      const request = { method: 'GET', target, headers: { host: '127.0.0.1:4010', ...headers }, body: new Uint8Array() }
      const { stream, status, body } = await sandbox.handle(request)
      if (!stream) throw new Error(`The stream got ${status}: ${body}`)
      return stream
    },
    async close() {
      await sandbox.close()
      if (errors.length > 0) throw new AggregateError(errors, 'The sandbox had internal errors.')
    },
  }
}

/** Waits like a caller without a response, until it gives up. */
function gaveUp(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

const fetchDialer: Dialer = {
  close: () => undefined,
  get: ({ url, headers, timeoutMs }) => send(url, timeoutMs, { headers: { ...headers, connection: 'close' } }),
  post: ({ url, json: body, timeoutMs }) =>
    send(url, timeoutMs, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
}

async function send(url: string, timeoutMs: number, init: RequestInit) {
  try {
    const reply = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    await reply.body?.cancel()
    return { status: reply.status }
  } catch (error) {
    return { error: String(error) }
  }
}
