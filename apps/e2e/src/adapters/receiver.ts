import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A callback as received. */
export interface Received {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A publisher's callback receiver, on its own socket. */
export interface Receiver extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly url: string
  readonly received: Received[]
}

/** Starts a receiver. `answer` gets the request's number, from 1. Requests it does not respond to stay open. */
export async function openReceiver(
  answer: (response: ServerResponse, nth: number, call: Received) => void = response => response.end(),
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request
      const call = { method, target, headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(call)
      answer(response, received.length, call)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A response with only a status. */
export function withStatus(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => response.writeHead(status, headers).end()
}

/** Listens on a free port until the test ends. Resolves to scheme, host and port. */
export async function listenInTest(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
