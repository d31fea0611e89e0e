import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ErrorResponse } from '@lead-distribution/contract'
import {
  type ConnectionErrorCode,
  type ControlClient,
  ControlError,
  connectionFailure,
  createControlClient,
  PathError,
  redirectMessage,
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

/** The target of a request. Messages name its URL alone. */
interface Target {
  /** The URL of the sandbox or of its service. */
  readonly url: string
  /** Below the URL, with the query. */
  readonly path: string
}

/** Makes a client of a running sandbox. It repeats nothing: a person sees the failure. */
export function createClient(sandbox: string, adminToken: string | undefined): ControlClient {
  const authorization = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  return createControlClient(async ({ operation, method, path, query, headers, body, holdMs, streams, signal }) => {
    const search = new URLSearchParams(query).toString()
    const target = { url: sandbox, path: `${controlPath}${path}${search && `?${search}`}` }
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await open(operation, target, {
      method,
      headers: { ...authorization, ...json, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: silenceMs + holdMs,
      signal,
    })
    return streams && response.headers['content-type']?.startsWith('text/event-stream')
      ? readStream(operation, target, response)
      : readJson(operation, target, response)
  }, routes)
}

/**
 * Sends a request to the service, byte for byte, and reads the JSON of its response.
 * @throws ControlError the service refuses it, or nothing responds, or something other than a sandbox.
 */
export async function send(target: Target, outgoing: Outgoing): Promise<unknown> {
  return readJson('submitLead', target, await open('submitLead', target, outgoing))
}

/** Reads a page of a running sandbox. @throws ControlError the sandbox refuses it, or does not respond. */
export async function readPage(url: string, path: string, adminToken: string | undefined): Promise<string> {
  const target = { url, path }
  const headers = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  const response = await open('showPage', target, { method: 'GET', headers })
  const isPage = response.statusCode === 200 && response.headers['content-type']?.startsWith('text/html')
  return isPage ? readText('showPage', target, response) : String(await readJson('showPage', target, response))
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
  target: Target,
  { method, headers, body, timeoutMs = silenceMs, signal }: Outgoing,
): Promise<IncomingMessage> {
  const url = new URL(`${target.url}${target.path}`)
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
    throw withoutResponse(operation, target, error)
  })
}

class TimeoutError extends Error {}

function readText(operation: string, target: Target, response: IncomingMessage): Promise<string> {
  return text(response).catch(error => {
    throw withoutResponse(operation, target, error)
  })
}

async function readJson(operation: string, target: Target, response: IncomingMessage): Promise<unknown> {
  const value = parsed(await readText(operation, target, response))
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300 && value !== undefined) return value
  if (isErrorResponse(value)) throw new ControlError(operation, status, value)
  const redirect = redirectMessage(target.url, status, response.headers.location)
  const message =
    redirect ??
    `${target.url} responded ${status} without ${status < 300 ? 'JSON' : 'a sandbox error in the body'}. ${howToStart}`
  throw new ControlError(operation, status, { error: 'not_a_sandbox', message })
}

async function* readStream(operation: string, target: Target, response: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* response.setEncoding('utf8')
  } catch (error) {
    throw withoutResponse(operation, target, error)
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

function withoutResponse(operation: string, { url }: Target, cause: unknown): ControlError {
  const failure = (error: ConnectionErrorCode, message: string) =>
    new ControlError(operation, 0, { error, message }, { cause })
  if (cause instanceof TimeoutError) return failure('timed_out', `${url} did not respond in time. ${mayHaveRun}`)
  const { code, message } = connectionFailure(url, cause, { start: howToStart, lost: mayHaveRun })
  return failure(code, message)
}
