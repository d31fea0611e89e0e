import { basePath } from '@lead-distribution/contract'
import type { Sandbox } from '@lead-distribution/simulator'
import { sandboxPath } from '@lead-distribution/simulator/paths'
import { type LeadTenant, type OpenSandbox, openSandbox } from './open-sandbox.ts'
import type { LeadSandboxOptions, TenantOptions } from './options.ts'

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where msw, an optional peer, is not installed
/** @ts-ignore - any, without msw */
type HttpHandler = import('msw').HttpHandler

/**
 * A `fetch` that calls the sandbox in this process and never the network.
 * @throws TypeError as `fetch` does where there is no connection: the URL is not the sandbox's, or a fault cut the connection.
 */
export type SandboxFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The lead distribution sandbox in this process: a first tenant, and two ways to call it. */
export interface LeadSandbox extends LeadTenant {
  /** For `setupServer(...handlers)` and `setupWorker(...handlers)` of msw: the service, and the pages behind its URLs. */
  readonly handlers: HttpHandler[]
  /** Calls the sandbox without msw: pass it to `createPublisher` and `createAdvertiser`, or call it yourself. */
  readonly fetch: SandboxFetch
  /**
   * Creates another tenant, isolated from the others; the API key of a request selects the tenant.
   * @throws TypeError an option is unknown.
   * @throws ControlError the value of an option is refused, or the name is taken.
   */
  createTenant(options?: TenantOptions): Promise<LeadTenant>
  /** Ends all work of the sandbox. Nothing of it keeps a process alive. */
  close(): Promise<void>
}

/**
 * Creates a sandbox: the rules, scenarios, faults, clock and callbacks of the sandbox server, by the same code, over
 * memory and without a socket.
 *
 * @throws TypeError an option is unknown, or the base URL does not end in `/api/v1`.
 * @throws ControlError the value of an option is refused.
 * @example
 * ```ts
 * import { createLeadSandbox } from '@lead-distribution/msw'
 * import { setupServer } from 'msw/node'
 *
 * const sandbox = await createLeadSandbox({ frozenAt: '2026-01-31T09:30:00Z' })
 * const server = setupServer(...sandbox.handlers)
 * server.listen()
 * await sandbox.clock.advance({ by: 'PT24H' })
 * ```
 * @example Without msw:
 * ```ts
 * import { createLeadSandbox } from '@lead-distribution/msw'
 * import { createPublisher } from '@lead-distribution/publisher-sdk'
 *
 * const { account, fetch, testLeads } = await createLeadSandbox()
 * const publisher = createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key, fetch })
 * await publisher.submit(testLeads.distributed())
 * ```
 */
export function createLeadSandbox(options: LeadSandboxOptions = {}): Promise<LeadSandbox> {
  return withoutParts(openLeadSandbox(options))
}

/** Reports a missing `await` where a part is taken off the promise of a sandbox. */
function withoutParts(opening: Promise<LeadSandbox>): Promise<LeadSandbox> {
  for (const part of ['handlers', 'fetch', 'account', 'leads', 'clock', 'testLeads'] satisfies (keyof LeadSandbox)[])
    Object.defineProperty(opening, part, {
      get() {
        throw new TypeError(`createLeadSandbox returns a promise, which has no ${part}. Write await before it.`)
      },
    })
  return opening
}

async function openLeadSandbox(options: LeadSandboxOptions): Promise<LeadSandbox> {
  const sandbox = await openSandbox(options)
  const first = await sandbox.createTenant(options)
  const handlers = await createHandlers(sandbox)
  return {
    ...first,
    get handlers() {
      return handlers()
    },
    fetch: createFetch(sandbox),
    get account() {
      return first.account
    },
    get testLeads() {
      return first.testLeads
    },
    createTenant: sandbox.createTenant,
    close: sandbox.close,
  }
}

/** The URLs of the sandbox. Paths and methods are judged by the sandbox, as at every adapter. */
function urlsOf(origin: string): RegExp {
  return new RegExp(`^${escaped(origin)}(?:${basePath}|${sandboxPath})(?:[/?#]|$)`)
}

/** Creates the handlers of msw, which is an optional peer: where it is not installed, asking for them says so. */
async function createHandlers({ origin, handle }: OpenSandbox): Promise<() => HttpHandler[]> {
  try {
    const { http } = await import('msw')
    // An expression, not a path of msw: that takes no URL of more than 8 KiB, and its `/*` does not match the path itself.
    const handlers = [
      http.all(urlsOf(origin), async ({ request }) =>
        toResponse(await handle(await toHttpRequest(request, origin)), request),
      ),
    ]
    return () => handlers
  } catch (cause) {
    return () => {
      throw new Error(
        '`handlers` needs msw, which could not be loaded: npm install --save-dev msw. `fetch` works without it.',
        { cause },
      )
    }
  }
}

function createFetch({ origin, handle }: OpenSandbox): SandboxFetch {
  const urls = urlsOf(origin)
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    // Without its signal: a request would leave a listener on it.
    const request = new Request(input, { ...init, signal: null })
    if (!urls.test(request.url)) throw networkError('ENOTFOUND', `the lead sandbox is at ${origin}${basePath} only`)
    return untilAborted(signal, async ended => {
      const response = await toResponse(await handle(await toHttpRequest(request, origin)), {
        method: request.method,
        signal: ended,
      })
      if (response.type === 'error') throw networkError('ECONNRESET', 'a fault of the lead sandbox cut the connection')
      return response
    })
  }
}

/** Rejects with the reason of a signal as soon as it is aborted. The signal that `work` gets is aborted with it. */
async function untilAborted(
  signal: AbortSignal | null | undefined,
  work: (ended: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const ended = new AbortController()
  if (!signal) return work(ended.signal)
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      ended.abort(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    const forget = (response: Response) => {
      // The body of a stream goes on being read: until then the signal ends it.
      if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
        signal.removeEventListener('abort', abort)
      resolve(response)
    }
    work(ended.signal).then(forget, error => {
      signal.removeEventListener('abort', abort)
      reject(error)
    })
  })
}

/** An error in the form in which `fetch` of Node rejects: the code is in its `cause`. */
function networkError(code: 'ECONNRESET' | 'ENOTFOUND', why: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${why}`), { code }) })
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

type HttpRequest = Parameters<Sandbox['handle']>[0]
type HttpResponse = Awaited<ReturnType<Sandbox['handle']>>
type Stream = NonNullable<HttpResponse['stream']>

const noBody = new Uint8Array()

/** A request of a page as every adapter hands it to the sandbox; `origin` is the part of its URL before the path. */
async function toHttpRequest(request: Request, origin: string): Promise<HttpRequest> {
  const { method, url } = request
  // Every caller is in this process: the origin of a request proves nothing.
  const { host: _host, origin: _origin, 'sec-fetch-site': _site, ...headers } = Object.fromEntries(request.headers)
  const [address = ''] = url.split('#', 1)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : noBody
  return { method, target: address.slice(origin.length), headers, body, wait: run => run(request.signal) }
}

/** The statuses whose responses have no body. */
const bodiless = [204, 205, 304]

/** A response as a client gets it: a connection that is cut is a network error, and a withheld response never comes. */
function toResponse(
  { status, headers, body, broken, stream }: HttpResponse,
  { method, signal }: Pick<Request, 'method' | 'signal'>,
): Response | Promise<Response> {
  if (broken === 'cut') return Response.error()
  if (broken === 'withheld')
    return new Promise(resolve => signal.addEventListener('abort', () => resolve(Response.error())))
  if (stream) return new Response(toReadable(stream, signal), { status, headers })
  return new Response(method === 'HEAD' || bodiless.includes(status) ? null : body, { status, headers })
}

/** A stream as the body of a response. It ends when its reader cancels it or the request is aborted. */
function toReadable(stream: Stream, signal: AbortSignal): ReadableStream<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const stop = () => void pieces.return?.()
  return new ReadableStream({
    start(controller) {
      const end = () => {
        stop()
        controller.error(signal.reason)
      }
      if (signal.aborted) end()
      else signal.addEventListener('abort', end)
    },
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (signal.aborted) return
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: stop,
  })
}
