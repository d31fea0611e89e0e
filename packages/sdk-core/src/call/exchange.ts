import ky from 'ky'
import { failureOfError } from './failure-of-error.ts'
import { readText } from './read-text.ts'
import type { FailureKind } from './retry-table.ts'
import { within } from './within.ts'

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
  try {
    const ended = await within(request.timeoutMs, request.signal, signal => roundTrip(request, signal))
    if (ended === 'aborted') return { aborted: true }
    // Whether the connection stood by then, no `fetch` tells.
    if (ended === 'timed_out')
      return { failure: 'reply_lost', why: `no whole reply within ${Math.round(request.timeoutMs)} ms` }
    return ended
  } catch (error) {
    const failure = failureOfError(error)
    return { failure, why: words[failure] ?? 'the connection broke before the whole reply was read' }
  }
}

async function roundTrip(request: Exchange, signal: AbortSignal) {
  const { url, method, headers, body, fetch = globalThis.fetch } = request
  const response = await ky(url, {
    method,
    headers,
    // 'manual': followed to another origin, a redirect would carry the key along.
    redirect: 'manual',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // URL and body as text, not ky's Request: that keeps a token as it is written, and fetches of other libraries do
    // not know this runtime's Request. So neither the body nor the signal goes by way of ky, which would copy both.
    fetch: composed =>
      fetch(url, {
        method,
        headers: (composed as Request).headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal,
      }),
  })
  return { status: response.status, headers: response.headers, text: await readText(response) }
}
