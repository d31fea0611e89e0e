import type { ErrorResponse } from '@lead-distribution/contract'

/** A request as every adapter hands it over: plain data, no framework's object. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  /** Path and query as received, such as `/api/v1/lead?a=b`. */
  readonly target: string
  /** By lower-case name; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body, or what reads it: an adapter on a socket reads none that is not asked for. */
  readonly body: Uint8Array | BodyReader
  /** Has the request wait for something to happen; left out where an adapter does not know when its caller is gone. */
  readonly wait?: Wait | undefined
}

/**
 * Runs a part of a request that only waits. `run` gets a signal that is aborted once the caller is gone, and ends then;
 * meanwhile the request is not counted as in flight.
 */
export type Wait = <Result>(run: (gone?: AbortSignal) => Promise<Result>) => Promise<Result>

/**
 * Reads a body, called once at the most. Resolves to `too-large` as soon as it is larger than the limit, bytes; or to the
 * response to a request whose body cannot be read.
 */
export type BodyReader = (maxBytes: number) => Promise<Uint8Array | 'too-large' | JsonResponse>

/** Reads a body, whether its bytes are there already or not, to the same result as a {@link BodyReader}. */
export async function readBytes(body: HttpRequest['body'], maxBytes: number): ReturnType<BodyReader> {
  const bytes = typeof body === 'function' ? await body(maxBytes) : body
  return bytes instanceof Uint8Array && bytes.byteLength > maxBytes ? 'too-large' : bytes
}

/**
 * How a response fails on its way, on purpose, so that clients can be tested: its text ends in the middle, the connection
 * is cut in place of it, or nothing is ever sent.
 */
export type BrokenResponse = 'garbled' | 'cut' | 'withheld'

/** A response before it is written as JSON. */
export interface JsonResponse<Body extends object = object> {
  readonly status: number
  readonly body: Body
  /** Headers besides those of every response. */
  readonly headers?: Readonly<Record<string, string>>
  readonly broken?: BrokenResponse | undefined
  /** The text of server-sent events, sent in place of the body as it comes. */
  readonly stream?: EventStream
}

/** The text of server-sent events as it comes, each piece whole events. A reader that goes away calls `return`. */
export type EventStream = AsyncIterable<string>

/** A refusal in the shape of 2.13. */
export type Refusal = JsonResponse<ErrorResponse>

/** A response as every adapter sends it. */
export interface HttpResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What the adapter does in place of sending it. */
  readonly broken?: Exclude<BrokenResponse, 'garbled'>
  /** What the adapter sends in place of the body, piece by piece, until it ends: no faster than its reader reads. */
  readonly stream?: EventStream
  /** What made it, by its name, for logs and metrics; left out where no operation has the path or the method. */
  readonly operation?: string
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** A response with a JSON body. */
export function jsonResponse(status: number, body: object, headers?: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body: JSON.stringify(body) }
}

/** No proxy on the way may keep events back until there are many. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** What the body of a response says as JSON; its text where it is none. */
export function parseBody({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Writes a response as JSON, broken where it is to be, or as the stream that it has. */
export function writeResponse({ status, body, headers, broken, stream }: JsonResponse): HttpResponse {
  if (stream) return { status, headers: { ...streamHeaders, ...headers }, body: '', stream }
  const response = jsonResponse(status, body, headers)
  if (broken === undefined) return response
  if (broken === 'garbled') return { ...response, body: response.body.slice(0, response.body.length / 2) }
  return { ...response, broken }
}
