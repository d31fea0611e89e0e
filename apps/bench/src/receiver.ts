import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Receives callbacks in this process. `statusOf` returns the status for a callback's query; undefined to hang. */
export async function openReceiver(statusOf: (query: URLSearchParams) => number | undefined) {
  const server = createServer((request, response) => {
    const status = statusOf(new URL(request.url ?? '', 'http://receiver').searchParams)
    if (status !== undefined) response.writeHead(status, { 'content-length': 0 }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
