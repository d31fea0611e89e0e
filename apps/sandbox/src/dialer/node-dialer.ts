import { X509Certificate } from 'node:crypto'
import { type LookupAddress, lookup } from 'node:dns'
import { setMaxListeners } from 'node:events'
import type { Agent, IncomingMessage, RequestOptions, request } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import {
  answerMs,
  type CallbackResponse,
  type Dial,
  type Dialer,
  isLoopback,
  maxUnmaskedBytes,
  type ReceivedAnswer,
} from '@lead-distribution/simulator'

/** The maximum number of response bytes to read. */
const caps = { head: 16_384, body: 65_536 }

/** How long an idle connection is kept for reuse, milliseconds: less than most receivers keep it. */
const connections = { keepAlive: true, maxSockets: 128, maxTotalSockets: 512, timeout: 1_000 }

/** Timeout of a DNS lookup, milliseconds; an unreachable name server takes much longer to fail. */
const lookUpMs = 3_000

/** The DNS lookup: Node's, unless a test replaces it. */
export type Resolve = typeof lookup

/** A request to a URL that was checked, over its own connection. */
export interface RequestDial extends Dial {
  readonly method: string
  readonly body?: string | undefined
}

export interface NodeDialer extends Dialer {
  /** Sends a request with any method, once. Never throws. */
  request(dial: RequestDial): Promise<CallbackResponse>
}

/** The options of a dialer. */
export interface NodeDialerOptions {
  /** The DNS lookup. Default: Node's. */
  readonly resolve?: Resolve | undefined
  /** Timeout of a DNS lookup, milliseconds. Default: 3000. */
  readonly lookUpMs?: number | undefined
  /** Certificates of additional trusted authorities, PEM. */
  readonly ca?: string | undefined
}

/**
 * Sends callbacks over `node:http`. Connects only to the address that was checked, follows no redirects, uses no proxy
 * from the environment, and limits the time and size of a response.
 */
export function createNodeDialer(options: NodeDialerOptions = {}): NodeDialer {
  const closed = new AbortController()
  // Many listeners are no leak here: there is one for each callback in flight.
  setMaxListeners(0, closed.signal)
  const lookUp = createLookUp(options.resolve ?? lookup, options.lookUpMs ?? lookUpMs)
  // Created once: with `ca` per request, each connection would parse the certificates again.
  const secureContext = options.ca === undefined ? undefined : trustAlso(options.ca)
  // Own agents, because the global ones may use a proxy, which would connect to an unchecked address.
  const agents = new Map<string, Agent>()

  /** Prepares a request over a reusable connection. TLS, a tenth of the time to ready, is loaded only if needed. */
  function prepare(dial: Dial) {
    const name = new URL(dial.url).protocol === 'https:' ? 'node:https' : 'node:http'
    // Importing `node:http` would also load `fetch` and `WebSocket`: 50 ms and 13 MB.
    const { request: send, Agent } = process.getBuiltinModule(name)
    const agent = agents.get(name) ?? new Agent(connections)
    agents.set(name, agent)
    const requestOptions = {
      secureContext,
      headers: { ...dial.headers, 'user-agent': 'lead-sandbox' },
      agent,
      signal: closed.signal,
      maxHeaderSize: caps.head,
      lookup: checkedLookup(lookUp, dial),
    }
    return { send, requestOptions }
  }

  async function requestOnce({ method, body, ...dial }: RequestDial): Promise<CallbackResponse> {
    const refused = refuseLiteral(dial)
    if (refused !== undefined) return { error: `not sent: ${refused}` }
    const { send, requestOptions } = prepare(dial)
    // A new connection: on a reused one, it would be unknown if a lost request had arrived.
    const own = { ...requestOptions, method, agent: false as const }
    return exchange(send, dial, own, dial.timeoutMs, body) as Promise<CallbackResponse>
  }

  return {
    close() {
      closed.abort()
      for (const agent of agents.values()) agent.destroy()
    },
    request: requestOnce,
    async post({ json, ...dial }) {
      const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(json)) }
      const response = await requestOnce({ ...dial, method: 'POST', headers, body: json })
      return response.status === undefined ? response : { status: response.status }
    },
    async get(dial) {
      const refused = refuseLiteral(dial)
      if (refused !== undefined) return { error: `not sent: ${refused}` }
      const { send, requestOptions } = prepare(dial)
      const start = performance.now()
      const response = await exchange(send, dial, requestOptions, dial.timeoutMs)
      if (response !== 'unused') return response
      const leftMs = Math.max(0, dial.timeoutMs - (performance.now() - start))
      return exchange(send, dial, { ...requestOptions, agent: false }, leftMs) as Promise<CallbackResponse>
    },
  }
}

/** Trusts this authority in addition to Node's, which include `NODE_EXTRA_CA_CERTS` if Node can list them. */
function trustAlso(ca: string): SecureContext {
  const { createSecureContext, getCACertificates, rootCertificates } = process.getBuiltinModule('node:tls')
  return createSecureContext({ ca: [...(getCACertificates?.('default') ?? rootCertificates), ca] })
}

/** Returns true if the text is a PEM certificate. */
export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Returns the reason why a literal address is forbidden. It is checked here because it is never looked up. */
function refuseLiteral({ url, refuseAddress }: Pick<Dial, 'url' | 'refuseAddress'>): string | undefined {
  const literal = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return isIP(literal) ? refuseAddress(literal) : undefined
}

/**
 * Sends a request and waits for the response, up to a time limit. `unused`: a reused connection leads to an address
 * that is forbidden for this request, or the receiver had just closed it. A new connection then decides.
 */
function exchange(
  send: typeof request,
  { url, timeoutMs, refuseAddress }: Pick<Dial, 'url' | 'timeoutMs' | 'refuseAddress'>,
  options: RequestOptions,
  waitMs: number,
  body?: string,
): Promise<CallbackResponse | 'unused'> {
  return new Promise<CallbackResponse | 'unused'>(settle => {
    const outgoing = send(url, options)
    // The response may still be arriving when the exchange ends; its status counts all the same.
    let endAnswer: ((truncated: boolean) => void) | undefined
    const timer = setTimeout(() => {
      endAnswer?.(true)
      settle({ error: `no response within ${timeoutMs} ms` })
      outgoing.destroy()
    }, waitMs)
    outgoing.on('socket', ({ remoteAddress = '' }) => {
      // A reused connection was opened under the rule of an earlier request, whose path may differ.
      if (!outgoing.reusedSocket || refuseAddress(remoteAddress) === undefined) return
      settle('unused')
      outgoing.destroy()
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      endAnswer?.(true)
      const isUnused = outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '')
      settle(isUnused ? 'unused' : { error: reasonOf(error) })
    })
    outgoing.on('close', () => {
      clearTimeout(timer)
      endAnswer?.(true)
      // Has no effect after a response or an error; a protocol switch (101) ends without either.
      settle({ error: 'the connection was closed without a response' })
    })
    outgoing.on('response', response => {
      endAnswer = readAnswer(response, answer => settle({ status: response.statusCode ?? 0, answer }))
      let size = 0
      response.on('data', chunk => {
        size += chunk.length
        if (size > caps.body) outgoing.destroy()
      })
      response.on('error', () => outgoing.destroy())
    })
    outgoing.end(body)
  }).catch(error => ({ error: reasonOf(error) }))
}

/**
 * Reads headers and the start of a body, with a short time limit: the status counts regardless. Returns a function that
 * stops.
 */
function readAnswer(response: IncomingMessage, done: (answer: ReceivedAnswer) => void): (truncated: boolean) => void {
  const chunks: Buffer[] = []
  let size = 0
  function end(truncated: boolean): void {
    clearTimeout(timer)
    const text = Buffer.concat(chunks).subarray(0, maxUnmaskedBytes).toString()
    done({ headers: headersOf(response), text, truncated })
  }
  const timer = setTimeout(end, answerMs, true)
  response.on('data', (chunk: Buffer) => {
    if (size > maxUnmaskedBytes) return
    size += chunk.length
    chunks.push(chunk)
    if (size > maxUnmaskedBytes) end(true)
  })
  response.on('end', () => end(size > maxUnmaskedBytes))
  response.on('close', () => end(!response.complete))
  return end
}

function headersOf({ headers }: IncomingMessage): ReceivedAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]))
}

/** The addresses of a host name. */
type LookUp = (hostname: string) => Promise<readonly LookupAddress[]>

const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Looks up names; those of this machine are resolved locally. Concurrent lookups of a name are coalesced, and each
 * caller has a time limit: Node has two lookup threads, and a name whose server does not respond occupies one of them
 * until the system gives up.
 */
function createLookUp(resolve: Resolve, limitMs: number): LookUp {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>()

  function ask(hostname: string): Promise<readonly LookupAddress[]> {
    const asked = new Promise<LookupAddress[]>((found, failed) => {
      resolve(hostname, { all: true }, (error, addresses) => (error ? failed(error) : found(addresses)))
    }).finally(() => underWay.delete(hostname))
    underWay.set(hostname, asked)
    return asked
  }

  return hostname => {
    if (isLoopback(hostname)) return Promise.resolve(loopback)
    return new Promise((found, failed) => {
      const timer = setTimeout(() => failed(new Error(`no address of ${hostname} within ${limitMs} ms`)), limitMs)
      const asked = underWay.get(hostname) ?? ask(hostname)
      asked.then(found, failed).finally(() => clearTimeout(timer))
    })
  }
}

/** Looks a name up once and returns only allowed addresses. Node tries no others. */
function checkedLookup(lookUp: LookUp, { refuseAddress }: Pick<Dial, 'refuseAddress'>): LookupFunction {
  return (hostname, options, callback) => {
    const fail = (error: NodeJS.ErrnoException) => callback(error, '', 0)
    lookUp(hostname).then(addresses => {
      const judged = addresses.map(each => ({ ...each, refused: refuseAddress(each.address) }))
      const allowed = judged.filter(({ refused }) => refused === undefined)
      const [first] = allowed
      if (!first) return fail(new Error(judged[0] ? `not sent: ${judged[0].refused}` : 'host not found'))
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    }, fail)
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
  ERR_TLS_CERT_ALTNAME_INVALID: "the receiver's certificate is for another host",
  CERT_HAS_EXPIRED: "the receiver's certificate has expired",
  ...Object.fromEntries(
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ].map(code => [
      code,
      "the receiver's certificate is not trusted: pass the certificate of its authority with --callback-ca FILE",
    ]),
  ),
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  return messages[code] ?? (message || code || 'the connection failed')
}
