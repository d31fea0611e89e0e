import { realTimer } from '@lead-distribution/contract/real-timer'
import ky, { isHTTPError, isNetworkError, isTimeoutError } from 'ky'
import type { Send } from './call-operation.ts'
import {
  type ConnectionErrorCode,
  ControlError,
  connectionFailure,
  isErrorResponse,
  redirectMessage,
} from './control-error.ts'
import { textOf } from './event-stream.ts'

/** Options of the requests. */
export interface SendByKyOptions {
  /** The address that paths are below. */
  readonly url: string
  readonly adminToken?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds. */
  readonly timeoutMs?: number | false | undefined
  readonly retries?: number | undefined
}

/**
 * Sends requests over HTTP. Retries only reads: a POST whose response was lost may have taken effect. Time-outs and pauses are
 * not those of ky, whose timers a test may have faked.
 */
export function sendByKy({ url, adminToken, fetch, timeoutMs = 30_000, retries = 2 }: SendByKyOptions): Send {
  const api = ky.create({
    prefix: url,
    headers: adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` },
    // Not 'error', which looks like a network failure. And a redirect that is followed carries the admin token along.
    redirect: 'manual',
    timeout: false,
    retry: 0,
    ...(fetch && { fetch: (input, init) => fetch(input as RequestInfo, init) }),
  })
  const { origin } = new URL(url)

  return async ({ operation, method, path, query, headers, body, holdMs, streams, signal }) => {
    const attempt = async (ended: AbortSignal) => {
      const json = body === undefined ? {} : { json: body }
      const response = api(path, { method, headers, searchParams: query, signal: ended, ...json })
      return streams
        ? streamOf(await response, error => asControlError(operation, origin, error))
        : await response.json()
    }
    for (let repeats = 0; ; repeats++) {
      try {
        return await within(timeoutMs === false ? undefined : timeoutMs + holdMs, signal, attempt)
      } catch (error) {
        const failure = asControlError(operation, origin, error)
        if (method !== 'GET' || !(repeats < retries) || signal?.aborted || !mayPass(failure)) throw failure
        await pause(pauseMs(error, repeats), signal)
      }
    }
  }
}

/** Runs an attempt, whose signal is aborted when its time is up or `signal` is. */
async function within<Result>(
  ms: number | undefined,
  signal: AbortSignal | undefined,
  attempt: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  const abort = () => ended.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const timeUp = () => ended.abort(new DOMException('The time is up.', 'TimeoutError'))
  const cancel = ms === undefined ? () => {} : realTimer.after(ms, timeUp)
  try {
    return await attempt(ended.signal)
  } finally {
    cancel()
    signal?.removeEventListener('abort', abort)
  }
}

/** Waits; no longer than until `signal` is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const cancel = realTimer.after(ms, end)
  signal?.addEventListener('abort', end)
  await promise
  cancel()
  signal?.removeEventListener('abort', end)
}

/** Returns true if the same call may succeed later. */
function mayPass(failure: unknown): boolean {
  if (!(failure instanceof ControlError)) return false
  const { status, code } = failure
  return status === 429 || status >= 500 || code === 'unreachable' || code === 'connection_lost'
}

/** The longest pause that a response may ask for, milliseconds. */
const maxPauseMs = 30_000

/** The pause before a repeat, milliseconds: what the response asks for, otherwise each twice as long as the last. */
function pauseMs(error: unknown, repeats: number): number {
  const seconds = isHTTPError(error) ? Number(error.response.headers.get('retry-after') ?? Number.NaN) : Number.NaN
  return seconds >= 0 ? Math.min(seconds * 1_000, maxPauseMs) : 300 * 2 ** repeats
}

/** The text of a stream as it comes. */
function streamOf({ body, headers }: Response, asOurs: (error: unknown) => unknown): AsyncIterable<string> {
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) throw new SyntaxError('no event stream')
  const text = textOf(body)
  const next = () =>
    text.next().catch(error => {
      throw asOurs(error)
    })
  return { [Symbol.asyncIterator]: () => ({ ...text, next }) }
}

/** An error of ky as ours, with the network's report as its cause: ky's errors hold the admin token. */
function asControlError(operation: string, origin: string, error: unknown): unknown {
  const failure = (code: ConnectionErrorCode, message: string, status = 0, cause?: unknown) =>
    new ControlError(operation, status, { error: code, message }, { cause })
  if (isHTTPError(error)) {
    const { data, response } = error
    const redirect = redirectMessage(origin, response.status, response.headers.get('location'))
    if (redirect) return failure('not_a_sandbox', redirect, response.status)
    if (isErrorResponse(data)) return new ControlError(operation, response.status, data)
    return failure(
      'not_a_sandbox',
      `${origin} responded ${response.status} without a sandbox error in the body.`,
      response.status,
    )
  }
  if (isTimeoutError(error)) return failure('timed_out', `${origin} did not respond in time. ${maybeDone}`)
  if (error instanceof SyntaxError) return failure('not_a_sandbox', `${origin} answered without JSON.`)
  const cause = isNetworkError(error) ? error.cause : error
  const { code, message } = connectionFailure(origin, cause, {
    start: 'Start one with lead-sandbox start.',
    lost: maybeDone,
  })
  if (isNetworkError(error) || code === 'connection_lost') return failure(code, message, 0, cause)
  return error
}

const maybeDone = 'The call may have taken effect.'
