import { ControlError, type ControlRequest, redirectMessage, type Send } from '@lead-distribution/control-client/core'

/** The time limit of a response in milliseconds. The delay that a call asks for comes on top. */
const timeoutMs = 30_000

/**
 * Sends each call once by `fetch`. The client's own transport can retry, by a library of 9 KiB: on this page the reader
 * retries.
 */
export function sendByFetch(options: {
  /** The URL of the control plane, without a slash at its end. */
  readonly url: string
  readonly adminToken: string | undefined
  /** Sends requests in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}): Send {
  const { url, adminToken, fetch = globalThis.fetch.bind(globalThis) } = options
  const { origin } = new URL(url)
  return async request => {
    const { operation, path, query, holdMs, signal } = request
    const failure = (code: string, message: string, cause?: unknown, status = 0) =>
      new ControlError(operation, status, { error: code, message }, { cause })
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs + holdMs)
    let response: Response | undefined
    try {
      const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
      response = await fetch(`${url}${path}${search}`, {
        ...messageOf(request, adminToken),
        // Not 'error', which looks like a network failure.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      })
      const redirect = redirectOf(origin, response)
      if (redirect) throw failure('not_a_sandbox', redirect, undefined, response.status)
      if (response.ok && request.streams) return piecesOf(response)
      const reply: unknown = await response.json()
      if (response.ok) return reply
      if (isErrorResponse(reply)) throw new ControlError(operation, response.status, reply)
      const message = `${origin} responded ${response.status} without a sandbox error in the body.`
      throw failure('not_a_sandbox', message, undefined, response.status)
    } catch (error) {
      if (signal?.aborted || error instanceof ControlError) throw error
      if (error instanceof SyntaxError) throw failure('not_a_sandbox', `${origin} responded without JSON.`)
      const maybeDone = 'The call may have taken effect.'
      if (limit.signal.aborted) throw failure('timed_out', `${origin} did not respond in time. ${maybeDone}`)
      if (!response) throw failure('unreachable', `No sandbox responds at ${origin}.`, error)
      const message = `The connection to ${origin} broke before the response was complete. ${maybeDone}`
      throw failure('connection_lost', message, error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A browser hides where a redirect goes, and its status. */
function redirectOf(origin: string, { type, status, headers }: Response): string | undefined {
  return redirectMessage(origin, type === 'opaqueredirect' ? 302 : status, headers.get('location'))
}

function messageOf({ method, headers, body }: ControlRequest, adminToken: string | undefined): RequestInit {
  const all = new Headers(headers)
  if (adminToken !== undefined) all.set('authorization', `Bearer ${adminToken}`)
  if (body === undefined) return { method, headers: all }
  all.set('content-type', 'application/json')
  return { method, headers: all, body: JSON.stringify(body) }
}

function isErrorResponse(body: unknown): body is { error: string; message: string } {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

/** The text of a stream as it comes. Its reader can stop it at any time, even while it waits for the next piece. */
function piecesOf({ body, headers }: Response): AsyncIterable<string> {
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) throw new SyntaxError('no event stream')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await reader.read()
        return done ? { done, value: undefined } : { done, value }
      },
      async return() {
        await reader.cancel().catch(() => undefined)
        return { done: true, value: undefined }
      },
    }),
  }
}
