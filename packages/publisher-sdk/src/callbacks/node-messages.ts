import type { CallbackReceiver } from './callback-receiver.ts'

/** As much of a request of `node:http` as is read; Express's has it too. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The target before a framework took the path off it where the handler is mounted. */
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** As much of a response of `node:http` as is used; Express's has it too. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

/** Hands a message of `node:http` to a receiver, and its reply back. Never rejects. */
export async function answer(
  receive: CallbackReceiver,
  request: NodeRequest,
  response: NodeResponse,
  ip: string | undefined,
): Promise<void> {
  const reply = await receiveSafely()
  try {
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    response.end(await reply.text())
  } catch {
    // Someone else has answered meanwhile, such as a middleware that bounds the time.
  }

  async function receiveSafely(): Promise<Response> {
    try {
      const path = pathOf(request.originalUrl ?? request.url ?? '/')
      return await receive(toRequest(request, path), { ip, target: path })
    } catch {
      // A target or a header that fetch's classes refuse is none of a callback.
      return new Response(null, { status: 400 })
    }
  }
}

/** The path and the query of a request target, which a proxy may write as a whole URL (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

function toRequest({ method = 'GET', headers }: NodeRequest, path: string): Request {
  const kept = new Headers()
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const value = headers[name]
    if (typeof value === 'string') kept.set(name, value)
  }
  // No `Host` of the sender's, and a path that begins with `//` names no host.
  const url = `http://callback.invalid${path}`
  // Methods that fetch forbids are none of a callback either.
  return new Request(url, { method: /^(CONNECT|TRACE|TRACK)$/i.test(method) ? 'POST' : method, headers: kept })
}
