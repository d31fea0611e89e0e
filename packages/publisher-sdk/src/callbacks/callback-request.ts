import { ConfigError } from '@lead-distribution/sdk-core/errors'

/** A request from Express, Fastify or NestJS, or a similar object. @inline */
export type CallbackMessage = {
  /** HTTP method. Default `GET`. */
  readonly method?: string | undefined
  /** The request target, `/path?query`. */
  readonly url: string
  /** The request target before the framework stripped the handler's mount path. */
  readonly originalUrl?: string | undefined
  /** Headers by name; names are case-insensitive. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * The parts of a `node:http` or Express request that the receiver reads.
 * @category Callbacks
 */
export interface NodeRequest extends Omit<CallbackMessage, 'url'> {
  /** The request target, `/path?query`. Optional only because it is in the types of `node:http`. */
  readonly url?: string | undefined
  /** The sender's address, according to Express's `trust proxy`. */
  readonly ip?: string | undefined
  /** The connection; it gives the sender's address if there is no `ip`. */
  readonly socket: {
    /** The sender's IP address; undefined once the connection is closed. */
    readonly remoteAddress?: string | undefined
  }
}

/** A request with its URL and headers. @inline */
export type CallbackRequest = Request | CallbackMessage | NodeRequest

/** A web request, and the original request target, which may differ from the request's own. */
export interface ReadRequest {
  request: Request
  target: string | undefined
}

/**
 * Converts a request to a web request; undefined if fetch's classes refuse its target or a header, as no genuine
 * callback causes.
 * @throws ConfigError it is not a request.
 */
export function readRequest(given: CallbackRequest): ReadRequest | undefined {
  const { headers, method, originalUrl, url }: Partial<Request & CallbackMessage> = Object(given)
  // Only fetch's `Headers` has `get`. `instanceof Request` would miss the classes of jsdom and polyfills.
  const isWeb = typeof Object(headers).get === 'function'
  if (isWeb && URL.canParse(String(url))) return { request: given as Request, target: undefined }
  const target = originalUrl || url
  if (isWeb || !headers || typeof headers !== 'object' || !target || typeof target !== 'string') {
    throw new ConfigError(
      'Pass the request of the callback, with its URL and headers: a web `Request`, the request of Express, Fastify, NestJS or `node:http`, or `{ method, url, headers }`. For another event, such as that of AWS Lambda, create a `Request`.',
    )
  }
  return readMessage({ method, url: target, headers })
}

/** Converts a Node-style message to a web request; undefined if fetch's classes refuse its target or a header. */
export function readMessage(message: CallbackMessage | NodeRequest): (ReadRequest & { target: string }) | undefined {
  const { headers, method = 'GET' } = message
  // A proxy may send the target as an absolute URL (RFC 9112, 3.2.2).
  const path = (message.originalUrl ?? message.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '')
  const target = path.startsWith('/') ? path : `/${path}`
  try {
    const request = new Request(`http://callback.invalid${target}`, {
      // fetch forbids some methods; a callback has none of them.
      method: /^(CONNECT|TRACE|TRACK)$/i.test(method) ? 'POST' : method,
      headers: signatureHeaders(headers),
    })
    return { request, target }
  } catch {
    return undefined
  }
}

const headerNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function signatureHeaders(headers: CallbackMessage['headers']): [string, string][] {
  return Object.entries(headers).filter(
    (entry): entry is [string, string] => headerNames.includes(entry[0].toLowerCase()) && typeof entry[1] === 'string',
  )
}
