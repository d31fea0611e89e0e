import { FailedAttempt, failureOfError } from './failure.ts'
import { clientWithoutResend } from './runtime.ts'

/** A custom `fetch`: gets the URL as text, and must respect `redirect: 'manual'`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A reply that was read whole. */
export interface WholeResponse {
  response: Response
  text: string
}

/**
 * Sends one request and reads the whole reply: the one place where a request leaves. What a runtime sends again by
 * itself is in `runtime.ts`.
 * @throws FailedAttempt and nothing else: an error of `fetch` holds the URL, the key and the body.
 */
export async function sendRequest(fetch: Fetch, url: string, init: RequestInit): Promise<WholeResponse> {
  const client = clientWithoutResend()
  try {
    // 'manual': followed to another origin, a redirect would carry the key along.
    const response = await fetch(url, { ...init, redirect: 'manual', ...(client && { client }) })
    return { response, text: await readText(response) }
  } catch (error) {
    throw new FailedAttempt(failureOfError(error))
  } finally {
    client?.close()
  }
}

/** The longest reply that is read, bytes. Those of the service are far below; another server's could fill the memory. */
const mostBytes = 1_048_576

/** The whole text of a reply, empty where it is too long: such a reply says no more than its status. */
export async function readText(response: Response): Promise<string> {
  const { headers, body } = response
  const announced = headers.has('content-encoding') ? null : headers.get('content-length')
  // HTTP itself keeps to the announced length, unless the body is compressed. And some replies have no stream.
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
 * Waits for work until the signal aborts, then rejects with the signal's reason. Work that ignores the signal is no
 * longer waited for. Leaves no listener behind.
 */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  if (!signal) return await work()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  // Before the work begins, whose own listener would otherwise be called first.
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([aborted, work()])
  } catch (error) {
    // The work may be ended by the same signal on another way, and report it first.
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
