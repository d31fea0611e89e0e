import { requestSettings } from './runtime.ts'

/**
 * A custom `fetch`. It receives the URL as text and must honor `redirect: 'manual'`.
 * @category Client
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A response with its complete body. */
export interface WholeResponse {
  response: Response
  text: string
}

/** Sends one request and reads the whole response. All requests leave here. */
export async function sendRequest(
  fetch: Fetch,
  url: string,
  request: RequestInit & { headers: Headers },
  keepAlive: boolean,
): Promise<WholeResponse> {
  const { init, headers, end } = requestSettings(keepAlive)
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  try {
    const response = await fetch(url, { ...request, ...init })
    return { response, text: await readText(response) }
  } finally {
    end()
  }
}

/**
 * The maximum size of a response that is read, in bytes. The service's are far smaller; another server's could exhaust
 * the memory.
 */
const maxBytes = 1_048_576

/** Reads the whole text of a response; empty if it is too long, so that only its status counts. */
export async function readText(response: Response): Promise<string> {
  const { headers, body } = response
  const announced = headers.has('content-encoding') ? null : headers.get('content-length')
  // HTTP itself enforces the announced length, unless the body is compressed. Some responses have no stream.
  if ((announced && Number(announced) <= maxBytes) || typeof body?.getReader !== 'function')
    return await response.text()
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return await new Blob(chunks).text()
    bytes += value.byteLength
    if (bytes > maxBytes) break
    chunks.push(value)
  }
  reader.cancel().catch(() => {})
  return ''
}

/**
 * Waits for work until the signal aborts, then rejects with the signal's reason, even if the work ignores the signal.
 * Leaves no listener behind.
 */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  if (!signal) return await work()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  // Added before the work begins, because the work's own listener would otherwise run first.
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([aborted, work()])
  } catch (error) {
    // The same signal may end the work in another way, which the work may report first.
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
