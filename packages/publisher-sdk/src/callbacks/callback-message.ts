import { ConfigError } from '@lead-distribution/sdk-core/callbacks'

/** A request that is no web `Request`: Express, Fastify and NestJS hand over one, and an object like it is one. */
export interface CallbackMessage {
  /** HTTP method. Default `GET`. */
  readonly method?: string | undefined
  /** The request target, `/path?query`. */
  readonly url: string
  /** The target before a framework took the path off it where the handler is mounted. */
  readonly originalUrl?: string | undefined
  /** Headers by name, in any letter case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** As much of a request of `node:http` as is read; Express's has it too. */
export interface NodeRequest extends Omit<CallbackMessage, 'url'> {
  /** The request target, `/path?query`. Every request has one; the types of `node:http` leave it open. */
  readonly url?: string | undefined
  /** The connection, for the address of the peer. */
  readonly socket: {
    /** IP address of the peer; undefined once it is gone. */
    readonly remoteAddress?: string | undefined
  }
}

/** As much of an AWS Lambda event of version 2.0 as is read: of a function URL or an HTTP API. */
export interface LambdaHttpEvent {
  /** The path, with the stage where it is part of the URL. */
  readonly rawPath: string
  /** The query as it came, without a question mark. */
  readonly rawQueryString: string
  /** Headers by name. */
  readonly headers: CallbackMessage['headers']
  /** The request besides its URL. */
  readonly requestContext: {
    /** The request as HTTP has it. */
    readonly http: {
      /** HTTP method. */
      readonly method: string
    }
  }
}

/** As much of an AWS Lambda event of version 1.0 as is read: of a REST API. */
export interface LambdaRestEvent {
  /** The path, mostly without the stage. */
  readonly path: string
  /** HTTP method. */
  readonly httpMethod: string
  /** Headers by name. */
  readonly headers: CallbackMessage['headers'] | null
  /** The last value of each parameter, decoded. Read only where there are no lists of values. */
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined
  /** All values of each parameter, decoded. */
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined
  /** The request besides its URL. */
  readonly requestContext: {
    /** The path with the stage, as the sender called it. */
    readonly path?: string | undefined
  }
}

/** A request that a callback is read from, with its URL and headers. */
export type CallbackRequest = Request | CallbackMessage | NodeRequest | LambdaHttpEvent | LambdaRestEvent

/** A web request, and the request target as it was received; undefined where it is that of the request. */
export interface ReadMessage {
  request: Request
  target: string | undefined
}

/**
 * A request as a web request; undefined where fetch's classes refuse its target or a header, as none of a callback has.
 * @throws ConfigError it is no request.
 */
export function readRequest(given: CallbackRequest): ReadMessage | undefined {
  if (isWebRequest(given)) return { request: given, target: undefined }
  const message = messageOf(given)
  if (message) return readMessage(message)
  throw new ConfigError(
    'A callback is read from its request, with its URL and headers: a web `Request`, the request of Express, Fastify, NestJS or `node:http`, an AWS Lambda event, or `{ method, url, headers }`.',
  )
}

/** Not by `instanceof`: a page of jsdom and a polyfill have another `Request`. */
function isWebRequest(given: CallbackRequest): given is Request {
  const { headers, url }: Partial<Request> = Object(given)
  return hasGet(headers) && URL.canParse(String(url))
}

/** The headers of fetch: only a web request has them. */
function hasGet(headers: unknown): boolean {
  return typeof Object(headers).get === 'function'
}

/** Any request but a web `Request` as a message, by what it holds; undefined where it is none. */
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

/** The query of a REST API, whose parameters come decoded and in any order: the service puts its own two last. */ // Spec 6.2
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

/** A message as a web request; undefined where fetch's classes refuse its target or a header. */
export function readMessage(message: CallbackMessage | NodeRequest): (ReadMessage & { target: string }) | undefined {
  const target = pathOf(message.originalUrl ?? message.url ?? '/')
  try {
    return { request: toRequest(message, target), target }
  } catch {
    return undefined
  }
}

/** The path and the query of a request target, which a proxy may write as a whole URL (RFC 9112, 3.2.2). */
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
  // No `Host` of the sender's, and a path that begins with `//` names no host.
  const url = `http://callback.invalid${path}`
  // Methods that fetch forbids are none of a callback either.
  return new Request(url, { method: /^(CONNECT|TRACE|TRACK)$/i.test(method) ? 'POST' : method, headers: kept })
}
