import type { ErrorResponse } from '@lead-distribution/contract'
import { CommandError, howToStart, maybeDone } from '../exit-codes.ts'

/** A request to the service of a running sandbox. */
export interface Outgoing {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  /** As it goes over the wire. */
  readonly body?: string | undefined
  /** How long the reply may take, milliseconds; no limit by default. */
  readonly timeoutMs?: number
}

/** What fetch reports where the connection was there and broke. */
const lostCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']

/**
 * Sends a request to the service, byte for byte, and reads the JSON of its reply.
 * @throws CommandError where the service refuses it, nothing answers, or something else than a sandbox.
 */
export async function send(url: URL, { method, headers = {}, body, timeoutMs }: Outgoing): Promise<unknown> {
  const signal = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
  const { status, ok, text } = await fetch(url, { method, headers, body: body ?? null, redirect: 'error', signal })
    .then(async reply => ({ status: reply.status, ok: reply.ok, text: await reply.text() }))
    .catch(error => {
      throw withoutReply(error, url)
    })
  const value = parsed(text)
  if (ok && value !== undefined) return value
  if (isErrorResponse(value)) throw refusal(status, value)
  throw new CommandError(`${url.origin} answered ${status} without JSON, so it is no sandbox. ${howToStart}`)
}

/** A refusal in the shape of 2.13: its message, and below it what is wrong field by field. */
function refusal(status: number, { error, message, details = [] }: ErrorResponse): CommandError {
  const lines = details.map(({ field, issue }) => `  ${field}: ${issue}`)
  return new CommandError([`${message} (${status} ${error})`, ...lines].join('\n'))
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

function withoutReply(error: unknown, { origin }: URL): CommandError {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  if (name === 'TimeoutError') return new CommandError(`No reply came from ${origin} in time. ${mayHaveRun}`)
  if (lostCodes.includes(cause?.code ?? ''))
    return new CommandError(`The connection to ${origin} broke before the whole reply came. ${mayHaveRun}`)
  return new CommandError(`No sandbox answers on ${origin}. ${howToStart}`)
}

const mayHaveRun = `The call may have been done. ${maybeDone}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
