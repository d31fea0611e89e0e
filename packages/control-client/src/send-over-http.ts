import type { ErrorResponse } from '@lead-distribution/contract'
import { realTimer } from '@lead-distribution/contract/real-timer'
import type { Send } from './call-operation.ts'
import { connectionFailure, connectionLost, howToStart, redirectMessage, timedOut } from './connection-failure.ts'
import { ControlError } from './errors.ts'

/** The options for sending requests to a sandbox. @inline */
export type HttpOptions = {
  /** The sandbox's URL; paths are relative to it, and messages name it. */
  readonly url: string
  /** The admin token, or a tenant's token. */
  readonly adminToken?: string | undefined
  /** Headers for every request, such as those that a proxy in front of the sandbox requires. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Time limit for a response, milliseconds; `false` for no limit. Default: 30000. A wait that a call asks for, such as
   * `callbacks.wait`, is added to it.
   */
  readonly timeoutMs?: number | false | undefined
  /** Maximum number of retries of a read-only call after a lost connection, a 429 or a 5xx. Default: 2. */
  readonly retries?: number | undefined
}

/**
 * Creates a function that sends requests over HTTP. It retries only reads, because a POST whose response was lost may
 * have taken effect. Time limits and pauses use real timers, even if a test fakes them.
 * @example
 * ```ts
 * import { sendOverHttp } from '@lead-distribution/control-client'
 *
 * const send = sendOverHttp({ url: 'http://127.0.0.1:4010' })
 * await send({ operation: 'showHealth', method: 'GET', path: '/_sandbox/health' })
 * ```
 * @category Client
 */
export function sendOverHttp(options: HttpOptions): Send {
  const { url, adminToken, headers: always, fetch, timeoutMs = 30_000, retries = 2 } = options
  const authorization = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }

  return async ({ operation, method, path, headers, body, holdMs = 0, responds = 'json', signal }) => {
    // Loaded lazily: loading ky takes longer than all other modules of a command.
    const { default: ky, isNetworkError } = await import('ky')
    for (let repeats = 0; ; repeats++) {
      const limit = new AbortController()
      const stop = timeoutMs === false ? () => {} : realTimer.after(timeoutMs + holdMs, () => limit.abort())
      let response: Response | undefined
      const failureOf = (error: unknown) => {
        if (ControlError.is(error)) return error
        const failed = ({ code, message }: ReturnType<typeof timedOut>, cause?: unknown) =>
          new ControlError(operation, 0, { error: code, message }, { cause })
        if (limit.signal.aborted) return failed(timedOut(url))
        if (error instanceof SyntaxError)
          return failed({ code: 'not_a_sandbox', message: `${url} responded without JSON. ${howToStart}` })
        // The cause is the network error, because ky's own errors contain the admin token.
        if (isNetworkError(error)) return failed(connectionFailure(url, error.cause), error.cause)
        return response ? failed(connectionLost(url), error) : error
      }
      try {
        response = await ky(`${url}${path}`, {
          method,
          headers: { ...always, ...authorization, ...headers },
          ...(body instanceof Uint8Array
            ? { body: body as Uint8Array<ArrayBuffer> }
            : body !== undefined && { json: body }),
          // Not 'error', which looks like a network failure, and not 'follow', which would forward the admin token.
          redirect: 'manual',
          timeout: false,
          retry: 0,
          throwHttpErrors: false,
          signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
          // A browser's `fetch` must not be called as a method of another object.
          ...(fetch && { fetch: (input, init) => fetch(input as RequestInfo, init) }),
        })
        if (!response.ok) throw await refusal(operation, url, response)
        return responds === 'events' ? piecesOf(response, failureOf) : await response[responds]()
      } catch (error) {
        signal?.throwIfAborted()
        const failure = failureOf(error)
        if (method !== 'GET' || repeats >= retries || !mayPass(failure)) throw failure
        await pause(pauseMs(response, repeats), signal)
      } finally {
        stop()
      }
    }
  }
}

/** Returns the error for an unsuccessful response. */
async function refusal(operation: string, url: string, response: Response): Promise<ControlError> {
  const { type, status, headers } = response
  // Browsers hide a redirect's status and target.
  const redirect = redirectMessage(url, type === 'opaqueredirect' ? 302 : status, headers.get('location'))
  const body: unknown = redirect ?? (await response.json().catch(() => undefined))
  if (isErrorResponse(body)) return new ControlError(operation, status, body)
  const message = redirect ?? `${url} responded ${status} without a sandbox error in the body. ${howToStart}`
  return new ControlError(operation, status, { error: 'not_a_sandbox', message })
}

/** Returns true if the body of a response has the shape of an error response. */ // Spec 2.13
function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

/** Pauses. @throws the signal's reason as soon as it is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const cancel = realTimer.after(ms, end)
  signal?.addEventListener('abort', end)
  await promise
  cancel()
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
}

/** Returns true if a retry may succeed. */
function mayPass(failure: unknown): boolean {
  if (!ControlError.is(failure)) return false
  const { status, code } = failure
  return status === 429 || status >= 500 || code === 'unreachable' || code === 'connection_lost'
}

/** The longest pause that a response may request, milliseconds. */
const maxPauseMs = 30_000

/** Returns the pause before a retry, milliseconds: the one requested by the response, otherwise doubling each time. */
function pauseMs(response: Response | undefined, repeats: number): number {
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(seconds * 1_000, maxPauseMs) : 300 * 2 ** repeats
}

/**
 * Returns the text of a stream as it arrives. The reader can stop at any time, even while waiting for the next piece.
 */
function piecesOf({ body, headers }: Response, failureOf: (error: unknown) => unknown): AsyncIterable<string> {
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream'))
    throw new SyntaxError('not an event stream')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        reader.read().catch(error => {
          throw failureOf(error)
        }),
      async return() {
        await reader.cancel().catch(() => undefined)
        return { done: true, value: undefined }
      },
    }),
  }
}
