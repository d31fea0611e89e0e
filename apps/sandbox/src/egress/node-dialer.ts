import { lookup } from 'node:dns'
import { setMaxListeners } from 'node:events'
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { EgressReply } from '@lead-distribution/engine'
import type { Dial, Dialer } from '@lead-distribution/simulator'

/** How much of a reply is read, bytes: its status is all that counts. */
const replyCap = 65_536

/** How a host name becomes addresses; Node's own unless a test says otherwise. */
export type Resolve = typeof lookup

/** Dials callbacks over `node:http`: the address that was checked is the one that is dialled, and no redirect is followed. */
export function createNodeDialer(resolve: Resolve = lookup): Dialer {
  const closed = new AbortController()
  // One listener for each callback under way is no leak.
  setMaxListeners(0, closed.signal)
  return {
    close: () => closed.abort(),
    get(dial) {
      const { hostname, protocol } = new URL(dial.url)
      const literal = hostname.replace(/^\[|\]$/g, '')
      const refused = isIP(literal) ? dial.refuseAddress(literal) : undefined
      if (refused !== undefined) return Promise.resolve({ error: `not sent: ${refused}` })
      return exchange(protocol === 'https:' ? httpsRequest : httpRequest, dial, {
        method: 'GET',
        headers: { ...dial.headers, 'user-agent': 'lead-sandbox' },
        agent: false,
        signal: closed.signal,
        lookup: checkedLookup(resolve, dial),
      })
    },
  }
}

function exchange(send: typeof httpRequest, { url, timeoutMs }: Dial, options: RequestOptions): Promise<EgressReply> {
  return new Promise(settle => {
    const outgoing = send(url, options)
    const timer = setTimeout(() => {
      settle({ error: `no reply within ${timeoutMs} ms` })
      outgoing.destroy()
    }, timeoutMs)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', fault => settle({ error: reasonOf(fault) }))
    outgoing.on('response', response => {
      settle({ status: response.statusCode ?? 0 })
      let size = 0
      response.on('data', chunk => {
        size += chunk.length
        if (size > replyCap) outgoing.destroy()
      })
      response.on('error', () => outgoing.destroy())
    })
    outgoing.end()
  })
}

/** Looks a name up and hands on only addresses that may be dialled. */
function checkedLookup(resolve: Resolve, { refuseAddress }: Dial): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (fault, addresses) => {
      if (fault) return callback(fault, '', 0)
      const allowed = addresses.filter(({ address }) => refuseAddress(address) === undefined)
      const [first] = allowed
      if (!first) return callback(new Error(`not sent: ${refuseAddress(addresses[0]?.address ?? '')}`), '', 0)
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    })
  }
}

function reasonOf(fault: NodeJS.ErrnoException): string {
  const words: Record<string, string> = {
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    ENOTFOUND: 'host not found',
    EAI_AGAIN: 'host not found',
  }
  return words[fault.code ?? ''] ?? fault.message
}
