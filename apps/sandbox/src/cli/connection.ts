import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ErrorResponse } from '@lead-distribution/contract'
import {
  type ConnectionErrorCode,
  type ControlClient,
  ControlError,
  createControlClient,
  PathError,
  routes,
} from '@lead-distribution/control-client/core'
import { controlPath } from '@lead-distribution/simulator/paths'
import { CommandError, exitCodes } from './exit-codes.ts'

// An import would load `fetch` and `WebSocket`, too: 50 ms and 13 MB.
const http = process.getBuiltinModule('node:http')

export interface Outgoing {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  /** As it goes over the wire. */
  readonly body?: string | undefined
  /** The maximum silence of the sandbox, milliseconds. Default: 300000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/** Makes a client of a running sandbox. It repeats nothing: a person sees the failure. */
export function createClient(origin: string, adminToken: string | undefined): ControlClient {
  const authorization = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  return createControlClient(async ({ operation, method, path, query, headers, body, holdMs, streams, signal }) => {
    const url = new URL(`${controlPath}${path}`, origin)
    url.search = new URLSearchParams(query).toString()
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await open(operation, url, {
      method,
      headers: { ...authorization, ...json, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: silenceMs + holdMs,
      signal,
    })
    return streams && response.headers['content-type']?.startsWith('text/event-stream')
      ? readStream(operation, url, response)
      : readJson(operation, url, response)
  }, routes)
}

/**
 * Sends a request to the service, byte for byte, and reads the JSON of its response.
 * @throws ControlError the service refuses it, or nothing responds, or something other than a sandbox.
 */
export async function send(url: URL, outgoing: Outgoing): Promise<unknown> {
  return readJson('submitLead', url, await open('submitLead', url, outgoing))
}

/** Reads a page of a running sandbox. @throws ControlError the sandbox refuses it, or does not respond. */
export async function readPage(url: URL, adminToken: string | undefined): Promise<string> {
  const headers = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  const response = await open('showPage', url, { method: 'GET', headers })
  const isPage = response.statusCode === 200 && response.headers['content-type']?.startsWith('text/html')
  return isPage ? readText('showPage', url, response) : String(await readJson('showPage', url, response))
}

export function messageOf(error: unknown): string {
  if (!(error instanceof ControlError)) return error instanceof Error ? error.message : String(error)
  const { status, code, reason, details } = error
  if (status === 0 || code === 'not_a_sandbox') return reason
  return [`${reason} (${status} ${code})`, ...details.map(({ field, issue }) => `  ${field}: ${issue}`)].join('\n')
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof PathError) return exitCodes.usage
  return error instanceof CommandError ? error.exitCode : exitCodes.failed
}

const silenceMs = 300_000
const howToStart = 'Start one with lead-sandbox start, or name a running one by --sandbox URL.'
const mayHaveRun = 'The call may have taken effect. To see whether it was: lead-sandbox logs tail.'

/** Sends a request by Node's own client: `fetch` takes longer to load than the rest of a verb. */
async function open(
  operation: string,
  url: URL,
  { method, headers, body, timeoutMs = silenceMs, signal }: Outgoing,
): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : http
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let response: IncomingMessage | undefined
  const outgoing = request(url, { method, headers, timeout: timeoutMs, ...(signal && { signal }) })
    .on('response', came => {
      response = came
      resolve(came)
    })
    .on('error', reject)
    .on('timeout', () => (response ?? outgoing).destroy(new TimeoutError()))
  outgoing.end(body)
  return promise.catch(error => {
    throw withoutResponse(operation, url, error)
  })
}

class TimeoutError extends Error {}

function readText(operation: string, url: URL, response: IncomingMessage): Promise<string> {
  return text(response).catch(error => {
    throw withoutResponse(operation, url, error)
  })
}

async function readJson(operation: string, url: URL, response: IncomingMessage): Promise<unknown> {
  const value = parsed(await readText(operation, url, response))
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300 && value !== undefined) return value
  if (isErrorResponse(value)) throw new ControlError(operation, status, value)
  const message = `${url.origin} responded ${status} without ${status < 300 ? 'JSON' : 'a sandbox error in the body'}. ${howToStart}`
  throw new ControlError(operation, status, { error: 'not_a_sandbox', message })
}

async function* readStream(operation: string, url: URL, response: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* response.setEncoding('utf8')
  } catch (error) {
    throw withoutResponse(operation, url, error)
  }
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function withoutResponse(operation: string, { origin }: URL, cause: unknown): ControlError {
  const failure = (error: ConnectionErrorCode, message: string) =>
    new ControlError(operation, 0, { error, message }, { cause })
  if (cause instanceof TimeoutError) return failure('timed_out', `${origin} did not respond in time. ${mayHaveRun}`)
  if (['ECONNRESET', 'EPIPE'].includes((cause as NodeJS.ErrnoException).code ?? ''))
    return failure(
      'connection_lost',
      `The connection to ${origin} broke before the response was complete. ${mayHaveRun}`,
    )
  return failure('unreachable', `No sandbox responds at ${origin}. ${howToStart}`)
}
