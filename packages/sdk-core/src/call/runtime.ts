// What runtimes do with a request by themselves, and what Node reports about it.

/** The header that carries the id of a call. The service may log it, and Node's reports are recognised by it. */
export const callIdHeader = 'x-request-id'

interface Deno {
  createHttpClient?(options: { poolMaxIdlePerHost: number }): { close(): void }
}

const deno = () => (globalThis as { Deno?: Deno }).Deno

/**
 * Deno sends a request again by itself when a connection that it kept closes without a reply. This client keeps none.
 * Close it after the reply. Undefined in other runtimes.
 */
export function clientWithoutResend(): { close(): void } | undefined {
  return deno()?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
}

/** The runtimes of which our tests show that they send a POST once. */
const sendsOnce = /^(Node\.js|Bun|Cloudflare-Workers)/

/**
 * Whether this runtime may send a POST again by itself, so that the service refuses its own lead: browsers do, and in
 * Deno a custom `fetch` may not pass our client on.
 */
export function mayResend(hasCustomFetch: boolean): boolean {
  const prevented = deno()?.createHttpClient && !hasCustomFetch
  return !prevented && !sendsOnce.test(globalThis.navigator?.userAgent)
}

/** A request of undici, the HTTP client inside Node, as its diagnostics channels show it. */
interface UndiciRequest {
  headers: readonly unknown[]
  /** Null until a connection takes the request; not documented, so that only null proves anything. */
  abort?: unknown
}

interface Message {
  request: UndiciRequest
  socket: { destroy(): void }
}

interface Channels {
  subscribe(name: string, listener: (message: Message) => void): void
}

const traces = new Map<string, RequestTrace>()
const traceOf = new WeakMap<UndiciRequest, RequestTrace>()
let listening = false

/** What Node reports about the requests of one call; empty in other runtimes. */
export class RequestTrace {
  readonly #callId: string
  readonly #requests = new Set<UndiciRequest>()
  #onRepeat: (() => void) | undefined
  #sent = false
  #unsent = false

  constructor(callId: string) {
    listen()
    this.#callId = callId
    traces.set(callId, this)
  }

  /** Begins to follow an attempt. `onRepeat`: Node sends its request again by itself, as it does after a `421`. */
  attempt(onRepeat: () => void): void {
    this.#onRepeat = onRepeat
    this.#requests.clear()
    this.#sent = false
    this.#unsent = false
  }

  /**
   * Whether nothing of the attempt was sent. Ask once its signal is aborted or its `fetch` has failed: from then on,
   * nothing of it will be sent either, though a custom `fetch` ignores the signal.
   */
  provesUnsent(): boolean {
    this.#unsent ||= this.#requests.size > 0 && !this.#sent && [...this.#requests].every(({ abort }) => abort === null)
    return this.#unsent
  }

  /** The call is over. */
  end(): void {
    traces.delete(this.#callId)
  }

  created(request: UndiciRequest): void {
    traceOf.set(request, this)
    if (this.#requests.size > 0) this.#onRepeat?.()
    this.#requests.add(request)
  }

  sending(request: UndiciRequest, socket: Message['socket']): void {
    if (this.#unsent || !this.#requests.has(request)) socket.destroy()
    else this.#sent = true
  }
}

function listen(): void {
  if (listening) return
  listening = true
  type Process = { getBuiltinModule?(name: string): Channels | undefined }
  const channels = (globalThis as { process?: Process }).process?.getBuiltinModule?.('node:diagnostics_channel')
  channels?.subscribe('undici:request:create', ({ request }) => {
    const { headers } = request
    const callId = traces.size > 0 && Array.isArray(headers) && headers[headers.indexOf(callIdHeader) + 1]
    traces.get(callId)?.created(request)
  })
  channels?.subscribe('undici:client:sendHeaders', ({ request, socket }) =>
    traceOf.get(request)?.sending(request, socket),
  )
}
