import { ConfigError } from '@lead-distribution/sdk-core/errors'

/** A request of Express, Fastify or NestJS, or an object like it. @inline */
export type CallbackMessage = {
  /** HTTP method. Default `GET`. */
  readonly method?: string | undefined
  /** The request target, `/path?query`. */
  readonly url: string
  /** The request target before a framework removed the path where the handler is mounted. */
  readonly originalUrl?: string | undefined
  /** Headers by name, in any letter case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The parts of a request of `node:http` that are read; Express's request has them too. */
export interface NodeRequest extends Omit<CallbackMessage, 'url'> {
  /** The request target, `/path?query`. Optional only because the types of `node:http` say so. */
  readonly url?: string | undefined
  /** The connection, for the address of the peer. */
  readonly socket: {
    /** IP address of the peer; undefined once the connection is closed. */
    readonly remoteAddress?: string | undefined
  }
}

/** The parts of an AWS Lambda event of version 2.0 (function URL or HTTP API) that are read. */
export interface LambdaHttpEvent {
  /** The path, including the stage if it is part of the URL. */
  readonly rawPath: string
  /** The query as received, without the question mark. */
  readonly rawQueryString: string
  /** Headers by name. */
  readonly headers: CallbackMessage['headers']
  /** The rest of the request. */
  readonly requestContext: {
    /** The HTTP request. */
    readonly http: {
      /** HTTP method. */
      readonly method: string
    }
  }
}

/** The parts of an AWS Lambda event of version 1.0 (REST API) that are read. */
export interface LambdaRestEvent {
  /** The path, usually without the stage. */
  readonly path: string
  /** HTTP method. */
  readonly httpMethod: string
  /** Headers by name. */
  readonly headers: CallbackMessage['headers'] | null
  /** The last value of each parameter, decoded. Read only if there are no lists of values. */
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined
  /** All values of each parameter, decoded. */
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined
  /** The rest of the request. */
  readonly requestContext: {
    /** The path that the sender called, including the stage. */
    readonly path?: string | undefined
  }
}

/** A request that `verifyCallback` can read, with its URL and headers. */
export type CallbackRequest = Request | CallbackMessage | NodeRequest | LambdaHttpEvent | LambdaRestEvent

/** A web request, and the request target as received if it differs from the request's own. */
export interface ReadMessage {
  request: Request
  target: string | undefined
}

/**
 * Converts a request to a web request; undefined if fetch's classes refuse its target or a header, which no callback has.
 * @throws ConfigError it is not a request.
 */
export function readRequest(given: CallbackRequest): ReadMessage | undefined {
  if (isWebRequest(given)) return { request: given, target: undefined }
  const message = messageOf(given)
  if (message) return readMessage(message)
  throw new ConfigError(
    'Pass the request of the callback, with its URL and headers: a web `Request`, the request of Express, Fastify, NestJS or `node:http`, an AWS Lambda event, or `{ method, url, headers }`.',
  )
}

/** Recognizes a web request. Not by `instanceof`: jsdom and polyfills have another `Request`. */
function isWebRequest(given: CallbackRequest): given is Request {
  const { headers, url }: Partial<Request> = Object(given)
  return hasGet(headers) && URL.canParse(String(url))
}

/** Recognizes the headers of fetch: only a web request has them. */
function hasGet(headers: unknown): boolean {
  return typeof Object(headers).get === 'function'
}

/** Converts any request but a web `Request` to a message; undefined if it is not one. */
function messageOf(given: CallbackRequest): CallbackMessage | undefined {
  const event: Partial<LambdaHttpEvent & LambdaRestEvent & CallbackMessage> = Object(given)
  const headers = event.headers ?? {}
  const http: unknown = event.requestContext?.http?.method
  if (typeof event.rawPath === 'string' && typeof event.rawQueryString === 'string' && typeof http === 'string')
    return { method: http, url: `${event.rawPath}?${event.rawQueryString}`, headers }
  if (typeof event.path === 'string' && typeof event.httpMethod === 'string') {
    const path = event.requestContext?.path ?? event.path
    return { method: event.httpMethod, url: `${path}?${queryOf(event)}`, headers }
  }
  const hasUrl = typeof (event.originalUrl || event.url || undefined) === 'string'
  const hasHeaders = event.headers && typeof headers === 'object' && !hasGet(headers)
  return hasUrl && hasHeaders ? (given as CallbackMessage) : undefined
}

/** Rebuilds the query of a REST API, whose parameters come decoded and in any order: the service puts its own two last. */ // Spec 6.2
function queryOf(event: Partial<LambdaRestEvent>): string {
  const { multiValueQueryStringParameters: lists, queryStringParameters: single } = event
  const place = ([name]: [string, unknown]) => ['lead_id', 'event'].indexOf(name)
  // A lone surrogate cannot be escaped.
  const escaped = (text: string) => encodeURIComponent(String(text).toWellFormed())
  return Object.entries(lists ?? single ?? {})
    .sort((a, b) => place(a) - place(b))
    .flatMap(([name, values]) => [values ?? []].flat().map(value => `${escaped(name)}=${escaped(value)}`))
    .join('&')
}

/** Converts a message to a web request; undefined if fetch's classes refuse its target or a header. */
export function readMessage(message: CallbackMessage | NodeRequest): (ReadMessage & { target: string }) | undefined {
  const target = pathOf(message.originalUrl ?? message.url ?? '/')
  try {
    return { request: toRequest(message, target), target }
  } catch {
    return undefined
  }
}

/** Returns the path and the query of a request target, which a proxy may write as a whole URL (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

const readHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function toRequest({ method = 'GET', headers }: CallbackMessage | NodeRequest, path: string): Request {
  const kept = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (readHeaders.includes(name.toLowerCase()) && typeof value === 'string') kept.append(name, value)
  }
  // Not the sender's `Host`; and a path that begins with `//` must not become a host.
  const url = `http://callback.invalid${path}`
  // Methods that fetch forbids are not those of a callback either.
  return new Request(url, { method: /^(CONNECT|TRACE|TRACK)$/i.test(method) ? 'POST' : method, headers: kept })
}
