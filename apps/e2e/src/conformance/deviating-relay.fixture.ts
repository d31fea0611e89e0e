import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A callback on its way to the publisher, which a deviation changes. */
export interface Relayed {
  method: string
  /** The whole URL of the listener's. */
  url: URL
  headers: Record<string, string>
  /** Which try for its lead it is, from 1. */
  readonly nth: number
}

/** How callbacks deviate: what is changed of each, and how it goes on; answers the status that the service is told. */
export interface CallbackDeviation {
  change?(relayed: Relayed): void
  send?(relayed: Relayed, pass: () => Promise<number>): Promise<number>
}

/** Stands between a service and the publisher, so that the callbacks deviate. Its `url` is what the service is set to. */
export async function openDeviatingRelay(listenerUrl: string, { change, send }: CallbackDeviation) {
  const tries = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const sent = new URL(request.url ?? '/', listenerUrl)
    const lead_id = sent.searchParams.get('lead_id') ?? ''
    const nth = (tries.get(lead_id) ?? 0) + 1
    tries.set(lead_id, nth)
    const { host: _, connection: __, ...headers } = request.headers
    const relayed: Relayed = { method: 'GET', url: sent, headers: headers as Record<string, string>, nth }
    change?.(relayed)
    const pass = async () => {
      const { method, url } = relayed
      return (await fetch(url, { method, headers: relayed.headers, redirect: 'manual' })).status
    }
    const status = (send ?? ((_relayed, go) => go()))(relayed, pass)
    // The publisher may be gone before the last callback comes.
    await status.then(
      each => response.writeHead(each).end(),
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { pathname, search } = new URL(listenerUrl)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}${search}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
