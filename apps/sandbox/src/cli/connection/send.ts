import { CommandFault } from '../exit-codes.ts'
import { isErrorResponse, ServerRefusal } from './server-refusal.ts'

/** A request to a running sandbox. */
export interface Outgoing {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  /** As it goes over the wire. */
  readonly body?: string | undefined
  /** How long the reply may take, milliseconds; as long as it takes by default. */
  readonly timeoutMs?: number
}

/** What fetch says where the connection was there and broke. */
const cutCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']

/**
 * Sends a request and reads the JSON of its reply. Rejects with {@link ServerRefusal} where the server refuses, and
 * with a {@link CommandFault} where nobody answers, or somebody who is no sandbox.
 */
export async function send(url: URL, { method, headers = {}, body, timeoutMs }: Outgoing): Promise<unknown> {
  const signal = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
  const { status, ok, text } = await fetch(url, { method, headers, body: body ?? null, redirect: 'error', signal })
    .then(async reply => ({ status: reply.status, ok: reply.ok, text: await reply.text() }))
    .catch(fault => {
      throw noReply(fault, url)
    })
  const value = parsed(text)
  if (ok && value !== undefined) return value
  if (isErrorResponse(value)) throw new ServerRefusal(status, value)
  throw new CommandFault(`What answers on ${url.origin} is no sandbox (it said ${status}, without our JSON): ${howTo}`)
}

const howTo = 'start one with lead-sandbox start, or say where one runs with --sandbox URL.'

function noReply(fault: unknown, { origin }: URL): CommandFault {
  const { name, cause } = fault as { name?: string; cause?: { code?: string } }
  if (name === 'TimeoutError') return new CommandFault(`No reply came from ${origin} in time. ${unsure}`)
  if (cutCodes.includes(cause?.code ?? ''))
    return new CommandFault(`The connection to ${origin} was cut before the whole reply came. ${unsure}`)
  return new CommandFault(`No sandbox answers on ${origin}: ${howTo}`)
}

const unsure = 'Whether it was done is not known: lead-sandbox logs tail tells.'

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
