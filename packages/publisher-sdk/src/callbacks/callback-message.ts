/** A request as far as it is read, where it is no web `Request`: what `node:http`, Express, Fastify and NestJS hand over is one. */
export interface CallbackMessage {
  /** HTTP method. */
  readonly method?: string | undefined
  /** The request target, `/path?query`. */
  readonly url?: string | undefined
  /** The target before a framework took the path off it where the handler is mounted. */
  readonly originalUrl?: string | undefined
  /** Headers by name, in any letter case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A web request, and the request target as it was received. */
export interface ReadMessage {
  request: Request
  target: string
}

/** Not by `instanceof`: a page of jsdom and a polyfill have another `Request`. */
export function isWebRequest(request: Request | CallbackMessage): request is Request {
  return typeof request.headers.get === 'function'
}

/** A message as a web request; undefined where fetch's classes refuse its target or a header, as none of a callback has. */
export function readMessage(message: CallbackMessage): ReadMessage | undefined {
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

function toRequest({ method = 'GET', headers }: CallbackMessage, path: string): Request {
  const kept = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (readHeaders.includes(name.toLowerCase()) && typeof value === 'string') kept.append(name, value)
  }
  // No `Host` of the sender's, and a path that begins with `//` names no host.
  const url = `http://callback.invalid${path}`
  // Methods that fetch forbids are none of a callback either.
  return new Request(url, { method: /^(CONNECT|TRACE|TRACK)$/i.test(method) ? 'POST' : method, headers: kept })
}
