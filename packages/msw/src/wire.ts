import type { Sandbox } from '@lead-distribution/simulator'

type HttpRequest = Parameters<Sandbox['handle']>[0]
type HttpResponse = Awaited<ReturnType<Sandbox['handle']>>

const noBody = new Uint8Array()

/** A request of a page as every door of the sandbox hands it over; `origin` is what stands before its path. */
export async function toHttpRequest(request: Request, origin: string): Promise<HttpRequest> {
  const { method, url } = request
  // Whoever can reach the sandbox is in this process: where a request seems to come from is nothing to go by.
  const { host: _host, origin: _origin, ...headers } = Object.fromEntries(request.headers)
  const [address = ''] = url.split('#', 1)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : noBody
  return { method, target: address.slice(origin.length), headers, body }
}

/** The statuses whose replies have no body. */
const bodiless = [204, 205, 304]

/** A reply as a client gets it: a connection that is cut is a network error, and what is withheld never comes. */
export function toResponse(reply: HttpResponse, { method, signal }: Pick<Request, 'method' | 'signal'>): Awaitable {
  if (reply.broken === 'cut') return Response.error()
  if (reply.broken === 'withheld')
    return new Promise(resolve => signal.addEventListener('abort', () => resolve(Response.error())))
  const { status, headers } = reply
  return new Response(method === 'HEAD' || bodiless.includes(status) ? null : reply.body, { status, headers })
}

type Awaitable = Response | Promise<Response>
