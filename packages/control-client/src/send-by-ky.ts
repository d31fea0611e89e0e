import ky, { isHTTPError, isNetworkError, isTimeoutError } from 'ky'
import type { Send } from './call-operation.ts'
import { type ConnectionErrorCode, ControlError, connectionFailure, isErrorResponse } from './control-error.ts'
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

/** Sends requests over HTTP. Retries only reads: a POST whose response was lost may have taken effect. */
export function sendByKy({ url, adminToken, fetch, timeoutMs = 30_000, retries = 2 }: SendByKyOptions): Send {
  const api = ky.create({
    prefix: url,
    headers: adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` },
    redirect: 'error',
    retry: { limit: retries, methods: ['get'] },
    ...(fetch && { fetch: (input, init) => fetch(input as RequestInfo, init) }),
  })
  const { origin } = new URL(url)

  return async ({ operation, method, path, query, headers, body, holdMs, streams, signal }) => {
    try {
      const response = api(path, {
        method,
        headers,
        searchParams: query,
        timeout: timeoutMs === false ? false : timeoutMs + holdMs,
        ...(body !== undefined && { json: body }),
        ...(signal && { signal }),
      })
      return streams
        ? streamOf(await response, error => asControlError(operation, origin, error))
        : await response.json()
    } catch (error) {
      throw asControlError(operation, origin, error)
    }
  }
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
