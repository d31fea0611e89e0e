import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fetch } from '@lead-distribution/conformance'

/** A request on its way to the service. A deviation may change it. */
export interface Passing {
  readonly method: string
  /** Path and query. */
  target: string
  headers: Record<string, string>
  body: Buffer
}

/** A response on its way back. A deviation may change it. */
export interface Returning {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Makes a service deviate by changing requests before they reach it and responses after they leave it. */
export interface Deviation {
  /** `publisherKey` is the valid key for `POST /lead`. */
  request?(passing: Passing, publisherKey: string): void
  reply?(returning: Returning, passing: Passing): void
}

/** Changes or replaces the JSON of a body. A body that is not JSON, or that does not change, keeps its bytes. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation may change anything.
export function inJson(holder: { body: Buffer }, change: (json: any) => unknown): void {
  try {
    const json = JSON.parse(holder.body.toString())
    const before = JSON.stringify(json)
    const after = JSON.stringify(change(json) ?? json)
    if (after !== before) holder.body = Buffer.from(after)
  } catch {}
}

/** Returns a `fetch` that makes the service behind it deviate. */
export function deviatingFetch(reach: Fetch, publisherKey: string, deviation: Deviation): Fetch {
  return async (url, { method = 'GET', headers, body }) => {
    const { origin, pathname, search } = new URL(url)
    const passing: Passing = {
      method,
      target: `${pathname}${search}`,
      headers: Object.fromEntries(new Headers(headers)),
      body: Buffer.from((body ?? '') as string | Uint8Array<ArrayBuffer>),
    }
    deviation.request?.(passing, publisherKey)
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const response = await reach(`${origin}${passing.target}`, {
      method,
      headers: passing.headers,
      ...(hasBody && { body: new Uint8Array(passing.body) }),
    })
    const returning: Returning = {
      status: response.status,
      headers: returned(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    }
    deviation.reply?.(returning, passing)
    const hasNone = method === 'HEAD' || returning.status === 204
    return new Response(hasNone ? null : new Uint8Array(returning.body), returning)
  }
}

/** Opens a proxy that makes the service behind it deviate. Its `url` is the origin alone. */
export async function openDeviatingProxy(origin: string, publisherKey: string, deviation: Deviation) {
  const reach = deviatingFetch((url, init) => fetch(url, init), publisherKey, deviation)
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', url: target = '/' } = request
    const reply = await reach(`${origin}${target}`, { method, headers: forwarded(request.headers), body })
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(Buffer.from(await reply.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const ofTheHop = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'accept-encoding']

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheHop.includes(name))) as never
}

function returned(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !ofTheHop.includes(name)))
}

/** A callback on its way to the publisher. A deviation may change it. */
export interface Relayed {
  method: string
  /** The full URL at the listener. */
  url: URL
  headers: Record<string, string>
  /** The number of the attempt for its lead, from 1. */
  readonly nth: number
}

/**
 * Makes callbacks deviate: `change` changes each one, `send` forwards it and resolves to the status for the service.
 */
export interface CallbackDeviation {
  change?(relayed: Relayed): void
  send?(relayed: Relayed, pass: () => Promise<number>): Promise<number>
}

/**
 * Opens a proxy between a service and the publisher that makes callbacks deviate. Its `url` is the service's callback
 * URL.
 */
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
    // The publisher may be gone before the last callback arrives.
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
