import { FailedAttempt, failureOfError } from './failure.ts'

/** A custom `fetch`: it gets the URL as text and must respect `redirect: 'manual'`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A response whose body was read to its end. */
export interface WholeResponse {
  response: Response
  text: string
}

/**
 * Sends one request and reads the whole response: the one place where a request leaves.
 * @throws FailedAttempt and nothing else: an error of `fetch` holds the URL, the key and the body.
 */
export async function sendRequest(fetch: Fetch, url: string, init: RequestInit): Promise<WholeResponse> {
  const client = clientWithoutResend()
  try {
    // 'manual': a redirect that is followed to another origin would carry the key along.
    const response = await fetch(url, { ...init, redirect: 'manual', ...(client && { client }) })
    return { response, text: await readText(response) }
  } catch (error) {
    throw new FailedAttempt(failureOfError(error))
  } finally {
    client?.close()
  }
}

/** The longest response that is read, bytes. The service's are far shorter; another server's could fill the memory. */
const mostBytes = 1_048_576

/** Reads the whole text of a response; empty if it is too long, and then only its status counts. */
export async function readText(response: Response): Promise<string> {
  const { headers, body } = response
  const announced = headers.has('content-encoding') ? null : headers.get('content-length')
  // HTTP itself enforces the announced length, unless the body is compressed. And some responses have no stream.
  if ((announced && Number(announced) <= mostBytes) || typeof body?.getReader !== 'function')
    return await response.text()
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return await new Blob(chunks).text()
    bytes += value.byteLength
    if (bytes > mostBytes) break
    chunks.push(value)
  }
  reader.cancel().catch(() => {})
  return ''
}

/**
 * Waits for work until the signal aborts, then rejects with the signal's reason, even if the work ignores the signal. Leaves
 * no listener behind.
 */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  if (!signal) return await work()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  // Added before the work begins, whose own listener would otherwise be called first.
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([aborted, work()])
  } catch (error) {
    // The same signal may end the work in another way, and the work may report it first.
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

// What runtimes do with a request by themselves.

interface Deno {
  createHttpClient?(options: { poolMaxIdlePerHost: number }): { close(): void }
}

const deno = () => (globalThis as { Deno?: Deno }).Deno

/** Creates a Deno client that keeps no connection, so that Deno resends nothing. Undefined elsewhere. */
function clientWithoutResend(): { close(): void } | undefined {
  return deno()?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
}

/** The runtimes that send a POST once, as our tests show. */
const sendsOnce = /^(Node|Bun|Cloudflare)/

/**
 * Returns true if this runtime may send a POST again by itself, so that the service rejects the repeat of its own lead.
 * Browsers do, and so does Deno over HTTP/2, after `REFUSED_STREAM` or `GOAWAY`. Deno uses HTTP/2 only with TLS and does
 * not report it. A custom `fetch` may not pass our client on.
 */
export function mayResend(url: string, hasCustomFetch: boolean): boolean {
  const prevented = deno()?.createHttpClient && !hasCustomFetch && url.startsWith('http:')
  return !prevented && !sendsOnce.test(globalThis.navigator?.userAgent)
}
