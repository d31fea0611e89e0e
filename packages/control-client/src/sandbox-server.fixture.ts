import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStorage, createSandbox } from '@lead-distribution/simulator'
import { onTestFinished } from 'vitest'

/** Responds to a request in place of the sandbox, or returns false to leave it to the sandbox. */
export type Intercept = (request: IncomingMessage, response: import('node:http').ServerResponse) => boolean

const noWayOut = async () => ({ error: 'no outbound requests' })

/** Starts a sandbox on a local socket until the end of the test. */
export async function startSandbox(options: { adminToken?: string; intercept?: Intercept } = {}) {
  const { adminToken, intercept = () => false } = options
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    requests.push(`${method} ${url}`)
    if (intercept(request, response)) return
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = request.headers as Readonly<Record<string, string | undefined>>
    const reply = await sandbox.handle({ method, target: url, headers, body: Buffer.concat(chunks) })
    response.writeHead(reply.status, reply.headers)
    if (!reply.stream) return response.end(reply.body)
    const stream = reply.stream[Symbol.asyncIterator]()
    response.on('close', () => stream.return?.())
    for await (const text of { [Symbol.asyncIterator]: () => stream }) response.write(text)
    response.end()
  })
  const url = await listen(server)
  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    timer: {
      after(ms, run) {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    },
    entropy: { bytes: count => crypto.getRandomValues(new Uint8Array(count)) },
    dialer: { get: noWayOut, post: noWayOut, close: () => undefined },
    origin: url,
    access: { adminToken },
    allowedCallbackHosts: [],
    onError: error => console.error(error),
  })
  onTestFinished(() => sandbox.close())
  return { url, requests, server }
}

/** Listens on a free local port until the end of the test; returns the URL. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
