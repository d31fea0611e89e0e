import { lookup } from 'node:dns'
import { setMaxListeners } from 'node:events'
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { CallbackResponse, Dial, Dialer } from '@lead-distribution/simulator'

/** How much of a reply is read, bytes: its status is all that counts. */
const caps = { head: 16_384, body: 65_536 }

/** How a host name becomes addresses; Node's own unless a test says otherwise. */
export type Resolve = typeof lookup

/**
 * Dials callbacks over `node:http`: the address that was checked is the one that is dialled, no redirect is followed,
 * no proxy of the environment is asked, and a reply has a longest time and a largest size.
 */
export function createNodeDialer(resolve: Resolve = lookup): Dialer {
  const closed = new AbortController()
  // One listener for each callback under way is no leak.
  setMaxListeners(0, closed.signal)
  return {
    close: () => closed.abort(),
    async get(dial) {
      const { hostname, protocol } = new URL(dial.url)
      // A literal address is not looked up, so it is checked here.
      const literal = hostname.replace(/^\[|\]$/g, '')
      const refused = isIP(literal) ? dial.refuseAddress(literal) : undefined
      if (refused !== undefined) return { error: `not sent: ${refused}` }
      return exchange(protocol === 'https:' ? httpsRequest : httpRequest, dial, {
        method: 'GET',
        headers: { ...dial.headers, 'user-agent': 'lead-sandbox' },
        // Its own agent: the global one may ask a proxy, which would dial an address that nobody checked.
        agent: false,
        signal: closed.signal,
        maxHeaderSize: caps.head,
        lookup: checkedLookup(resolve, dial),
      })
    },
  }
}

function exchange(
  send: typeof httpRequest,
  { url, timeoutMs }: Dial,
  options: RequestOptions,
): Promise<CallbackResponse> {
  return new Promise<CallbackResponse>(settle => {
    const outgoing = send(url, options)
    const timer = setTimeout(() => {
      settle({ error: `no reply within ${timeoutMs} ms` })
      outgoing.destroy()
    }, timeoutMs)
    outgoing.on('error', error => settle({ error: reasonOf(error) }))
    outgoing.on('close', () => {
      clearTimeout(timer)
      // Behind a reply or an error this changes nothing; a change of protocol (101) ends without either.
      settle({ error: 'the connection was closed without a reply' })
    })
    outgoing.on('response', response => {
      settle({ status: response.statusCode ?? 0 })
      let size = 0
      response.on('data', chunk => {
        size += chunk.length
        if (size > caps.body) outgoing.destroy()
      })
      response.on('error', () => outgoing.destroy())
    })
    outgoing.end()
  }).catch(error => ({ error: reasonOf(error) }))
}

/** Looks a name up once and hands on only addresses that may be dialled; Node tries these and no other. */
function checkedLookup(resolve: Resolve, { refuseAddress }: Dial): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const judged = addresses.map(each => ({ ...each, refused: refuseAddress(each.address) }))
      const allowed = judged.filter(({ refused }) => refused === undefined)
      const [first] = allowed
      if (!first) return callback(new Error(judged[0] ? `not sent: ${judged[0].refused}` : 'host not found'), '', 0)
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    })
  }
}

const messages: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ENETUNREACH: 'no route to the host',
  EHOSTUNREACH: 'no route to the host',
  ETIMEDOUT: 'no connection in time',
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  return messages[code] ?? (message || code || 'the connection failed')
}
