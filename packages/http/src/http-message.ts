import type { ErrorResponse } from '@lead-distribution/contract'

/** A request as every adapter hands it over: plain data, no framework's object. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  /** Path and query as received, such as `/api/v1/lead?a=b`. */
  readonly target: string
  /** By lower-case name; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body, or a function that reads it: an adapter on a socket reads only a body that is needed. */
  readonly body: Uint8Array | BodyReader
  /** Lets the request wait for something to happen. Left out by adapters that do not notice when a caller goes away. */
  readonly wait?: Wait | undefined
}

/** Runs a part of a request that only waits, outside the count of requests in flight, until the caller is gone. */
export type Wait = <Result>(run: (gone?: AbortSignal) => Promise<Result>) => Promise<Result>

/**
 * Reads a body, at most once. Resolves to `too-large` as soon as the body exceeds the limit, bytes, or to the response to a
 * request whose body cannot be read.
 */
export type BodyReader = (maxBytes: number) => Promise<Uint8Array | 'too-large' | JsonResponse>

/** Reads a body, with the same result as a {@link BodyReader}. */
export async function readBytes(body: HttpRequest['body'], maxBytes: number): ReturnType<BodyReader> {
  const bytes = typeof body === 'function' ? await body(maxBytes) : body
  return typeof bytes === 'object' && 'byteLength' in bytes && bytes.byteLength > maxBytes ? 'too-large' : bytes
}

/** A failure of a response on purpose: its text breaks off, the connection is cut, or nothing is ever sent. */
export type BrokenResponse = 'garbled' | 'cut' | 'withheld'

/** A response before it is written as JSON. */
export interface JsonResponse<Body extends object = object> {
  readonly status: number
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly broken?: BrokenResponse | undefined
  /** True if nothing was done, so that a caller in the same process can repeat the request. Not sent. */
  readonly notDone?: boolean
  /** The text of server-sent events, sent in place of the body as it comes. */
  readonly stream?: EventStream
  /** Lines of JSON, sent in place of the body. */
  readonly lines?: string
}

/** The text of server-sent events as it comes, each piece whole events. A reader that goes away calls `return`. */
export type EventStream = AsyncIterable<string>

/** A response with an error status, in the shape of 2.13. */
export type Refusal = JsonResponse<ErrorResponse>

/** A response as every adapter sends it. */
export interface HttpResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The failure that the adapter causes instead of sending it. */
  readonly broken?: Exclude<BrokenResponse, 'garbled'>
  /** True if nothing was done, so that a caller in the same process can repeat the request. Not sent. */
  readonly notDone?: boolean
  /** Sent instead of the body, piece by piece until it ends, no faster than its reader reads. */
  readonly stream?: EventStream
  /** The name of the operation, for logs and metrics; undefined if no operation has the path or the method. */
  readonly operation?: string
  /** The path template of the operation, such as `/api/v1/lead/:lead_id/status`. */
  readonly route?: string
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

export function headersOf(headers: JsonResponse['headers']): HttpResponse['headers'] {
  return headers ? { ...jsonHeaders, ...headers } : jsonHeaders
}

export function jsonResponse(status: number, body: object, headers?: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: headersOf(headers), body: JSON.stringify(body) }
}

/** Proxies and middlewares on the way must not hold events back, as those do that compress. */
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
