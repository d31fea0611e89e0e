import type { ErrorResponse } from '@lead-distribution/contract'

/** A request as every adapter passes it on: plain data, not a framework's object. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  /** Path and query as received, such as `/api/v1/lead?a=b`. */
  readonly target: string
  /** By lower-case name; several headers of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body, or a function that reads it: an adapter on a socket reads a body only if it is needed. */
  readonly body: Uint8Array | BodyReader
  /** Lets the request wait for something to happen. Omitted by adapters that can't detect a disconnected client. */
  readonly wait?: Wait | undefined
}

/**
 * Runs the part of a request that only waits, not counted among the requests in flight, until the client disconnects.
 */
export type Wait = <Result>(run: (gone?: AbortSignal) => Promise<Result>) => Promise<Result>

/**
 * Reads a body, at most once. Resolves with `too-large` as soon as the body exceeds the limit, in bytes, or with the
 * response to a request with an unreadable body.
 */
export type BodyReader = (maxBytes: number) => Promise<Uint8Array | 'too-large' | JsonResponse>

/** Reads a body, with the same result as a {@link BodyReader}. */
export async function readBytes(body: HttpRequest['body'], maxBytes: number): ReturnType<BodyReader> {
  const bytes = typeof body === 'function' ? await body(maxBytes) : body
  return typeof bytes === 'object' && 'byteLength' in bytes && bytes.byteLength > maxBytes ? 'too-large' : bytes
}

/** A deliberate failure of a response: its text breaks off, the connection is cut, or nothing is ever sent. */
export type BrokenResponse = 'garbled' | 'cut' | 'withheld'

/** A response before it is serialized as JSON. */
export interface JsonResponse<Body extends object = object> {
  readonly status: number
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly broken?: BrokenResponse | undefined
  /** True if nothing was done, so that a caller in the same process can retry the request. Not sent. */
  readonly notDone?: boolean
  /** The text of server-sent events, streamed instead of the body. */
  readonly stream?: EventStream
  /** Newline-delimited JSON, sent instead of the body. */
  readonly lines?: string
}

/**
 * The text of a stream of server-sent events. Each chunk holds complete events. A disconnecting reader calls `return`.
 */
export type EventStream = AsyncIterable<string>

/** A response with an error status, in the shape of 2.13. */
export type Refusal = JsonResponse<ErrorResponse>

/** A response as every adapter sends it. */
export interface HttpResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The failure that the adapter causes instead of sending the response. */
  readonly broken?: Exclude<BrokenResponse, 'garbled'>
  /** True if nothing was done, so that a caller in the same process can retry the request. Not sent. */
  readonly notDone?: boolean
  /** Sent instead of the body, chunk by chunk, with backpressure. */
  readonly stream?: EventStream
  /** The operation's name, for logs and metrics; undefined if no operation matches the path and method. */
  readonly operation?: string
  /** The operation's path template, such as `/api/v1/lead/:lead_id/status`. */
  readonly route?: string
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

export function headersOf(headers: JsonResponse['headers']): HttpResponse['headers'] {
  return headers ? { ...jsonHeaders, ...headers } : jsonHeaders
}

export function jsonResponse(status: number, body: object, headers?: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: headersOf(headers), body: JSON.stringify(body) }
}

/** Proxies and middleware must not buffer events, as those that compress do. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

const linesHeaders = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' }

export function parseBody({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

export function writeResponse({ status, body, headers, broken, notDone, stream, lines }: JsonResponse): HttpResponse {
  if (stream) return { status, headers: { ...streamHeaders, ...headers }, body: '', stream }
  if (lines !== undefined) return { status, headers: { ...linesHeaders, ...headers }, body: lines }
  const response = jsonResponse(status, body, headers)
  if (notDone) return { ...response, notDone }
  if (broken === undefined) return response
  if (broken === 'garbled') return { ...response, body: response.body.slice(0, response.body.length / 2) }
  return { ...response, broken }
}
