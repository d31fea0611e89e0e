import ky from 'ky'
import { failureOfError } from './failure-of-error.ts'
import type { FailureKind } from './retry-table.ts'

/** A `fetch` of one's own: gets the URL as text, and must obey `redirect: 'manual'`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** One request, once. */
export interface Exchange {
  url: string
  method: string
  headers: Record<string, string>
  body: string | undefined
  /** Covers the connection, the headers and the body, milliseconds. */
  timeoutMs: number
  signal: AbortSignal | undefined
  fetch: Fetch | undefined
}

/** What one request came to. Errors of ky and of `fetch` end here: they hold the URL, the key and the body. */
export type Exchanged =
  | { status: number; headers: Headers; text: string }
  | { failure: FailureKind; why: string }
  | { aborted: true }

const words: Partial<Record<FailureKind, string>> = {
  not_reached: 'no connection came about',
  untrusted: 'the certificate of the server is not trusted, or it does not speak TLS',
}

/** Sends one request and reads the whole reply within the time-out. Never throws. */
export async function exchange(request: Exchange): Promise<Exchanged> {
  const { signal } = request
  const controller = new AbortController()
  let timedOut = false
  const cut = () => controller.abort()
  const timer = setTimeout(() => {
    timedOut = true
    cut()
  }, request.timeoutMs)
  signal?.addEventListener('abort', cut)
  // A custom fetch may ignore the signal: the race ends the attempt all the same.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(), { once: true })
  })
  try {
    if (signal?.aborted) cut()
    return await Promise.race([ended, roundTrip(request, controller.signal)])
  } catch (error) {
    if (signal?.aborted) return { aborted: true }
    if (timedOut) return { failure: 'reply_lost', why: `no whole reply within ${Math.round(request.timeoutMs)} ms` }
    const failure = failureOfError(error)
    return { failure, why: words[failure] ?? 'the connection broke before the whole reply was read' }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cut)
  }
}

async function roundTrip(request: Exchange, signal: AbortSignal) {
  const { url, method, headers, body, fetch = globalThis.fetch } = request
  const response = await ky(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
    // 'manual': followed to another origin, a redirect would carry the key along.
    redirect: 'manual',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // The URL as text and the body as text, not ky's Request: that keeps a token as it is written, and fetches
    // of other libraries do not know this runtime's Request.
    fetch: composed =>
      fetch(url, {
        method,
        headers: (composed as Request).headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal,
      }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
