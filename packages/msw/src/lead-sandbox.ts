import { basePath } from '@lead-distribution/contract'
import type { Tenant } from '@lead-distribution/control-client'
import type { Sandbox } from '@lead-distribution/simulator'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import { type OpenSandbox, openSandbox } from './open-sandbox.ts'
import type { LeadSandboxOptions, TenantOptions } from './options.ts'

// biome-ignore lint/suspicious/noTsIgnore: an error only if msw, an optional peer, is not installed
/** @ts-ignore - any, without msw */
type HttpHandler = import('msw').HttpHandler

/**
 * A `fetch` that calls the sandbox in this process and never uses the network.
 * @throws TypeError like `fetch` on a network error: the URL is not the sandbox's, or a fault cut the connection.
 * @category Sandbox
 */
export type SandboxFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A lead distribution sandbox in this process: a first tenant, and two ways to call the service.
 * @category Sandbox
 */
export interface LeadSandbox extends Tenant {
  /** The service and its pages as msw handlers, for `setupServer(...handlers)` and `setupWorker(...handlers)`. */
  readonly handlers: HttpHandler[]
  /**
   * The service as a `fetch`, without msw: pass it to `createPublisher` and `createAdvertiser`, or call it directly.
   */
  readonly fetch: SandboxFetch
  /**
   * Creates another, isolated tenant. A request's API key selects the tenant.
   * @throws TypeError an option is unknown.
   * @throws ControlError the value of an option is invalid, or the name is taken.
   */
  createTenant(options?: TenantOptions): Promise<Tenant>
  /** Closes the sandbox and stops its work, so that nothing keeps the process alive. */
  close(): Promise<void>
}

/**
 * Creates a sandbox in memory, without a socket. It runs the same code as the sandbox server: the same rules,
 * scenarios, faults, clock and callbacks.
 * @throws TypeError an option is unknown, or the base URL does not end in `/api/v1`.
 * @throws ControlError the value of an option is invalid.
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
 * @category Sandbox
 */
export function createLeadSandbox(options: LeadSandboxOptions = {}): Promise<LeadSandbox> {
  return withoutParts(openLeadSandbox(options))
}

/** Makes the promise of a sandbox report a missing `await` when one of the sandbox's properties is read. */
function withoutParts(opening: Promise<LeadSandbox>): Promise<LeadSandbox> {
  for (const part of ['handlers', 'fetch', 'account', 'leads', 'clock', 'testLeads'] satisfies (keyof LeadSandbox)[])
    Object.defineProperty(opening, part, {
      get() {
        throw new TypeError(
          `\`createLeadSandbox\` returns a promise, which has no \`${part}\`. Write \`await\` before it.`,
        )
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

/** Matches all URLs of the sandbox. The sandbox itself checks paths and methods, as with every adapter. */
function urlsOf(origin: string): RegExp {
  return new RegExp(`^${escaped(origin)}(?:${basePath}|${sandboxPath})(?:[/?#]|$)`)
}

/** Creates the msw handlers. msw is an optional peer: without it, reading them throws. */
async function createHandlers({ origin, handle }: OpenSandbox): Promise<() => HttpHandler[]> {
  try {
    const { http } = await import('msw')
    // A regular expression, because msw's path patterns accept no URL over 8 KiB, and `/*` does not match the path
    // itself.
    const handlers = [
      http.all(urlsOf(origin), async ({ request }) =>
        toResponse(await handle(await toHttpRequest(request, origin)), request),
      ),
    ]
    return () => handlers
  } catch (cause) {
    return () => {
      throw new Error(
        '`handlers` requires msw, which could not be loaded. Run `npm install --save-dev msw`, or use `fetch`, which works without it.',
        { cause },
      )
    }
  }
}

function createFetch({ origin, handle }: OpenSandbox): SandboxFetch {
  const urls = urlsOf(origin)
  return async (input, init) => {
    const signal = init?.signal ?? (Object(input) as Partial<Request>).signal
    // Without its signal, because each request would leave a listener on it.
    const request = new Request(input, { ...init, signal: null })
    if (!urls.test(request.url))
      throw networkError('ENOTFOUND', `the lead sandbox responds only at ${origin}${basePath}`)
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

/** Rejects with a signal's reason as soon as it is aborted, and then also aborts the signal passed to `work`. */
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
      // The body of a stream is read later, and the signal must still end it.
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

/** Creates an error like Node's `fetch`, with the code in its `cause`. */
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

/** Converts a request to the form that the sandbox accepts. @param origin The part of its URL before the path. */
async function toHttpRequest(request: Request, origin: string): Promise<HttpRequest> {
  const { method, url } = request
  // happy-dom preserves the case of header names.
  const lowerCase = [...request.headers].map(([name, value]) => [name.toLowerCase(), value])
  // Every caller is in this process, so a request's origin proves nothing.
  const { host: _host, origin: _origin, 'sec-fetch-site': _site, ...headers } = Object.fromEntries(lowerCase)
  const [address = ''] = url.split('#', 1)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : noBody
  return { method, target: address.slice(origin.length), headers, body, wait: run => run(request.signal) }
}

/** The statuses of responses without a body. */
const bodiless = [204, 205, 304]

/**
 * Converts a response for the client: a cut connection becomes a network error, and a withheld response never arrives.
 */
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

/** Converts a stream to a response body that ends when the reader cancels it or the request is aborted. */
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
