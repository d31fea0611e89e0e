import {
  type ErrorResponse,
  type FieldIssue,
  validationError,
  type WireError,
  wireError,
} from '@lead-distribution/contract'
import { checkInput, fieldIssues, unknownField } from '@lead-distribution/contract/shapes'
import { malformedJson } from './malformed-json.ts'
import type { HandledOperation } from './operation.ts'

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
  /** The text of server-sent events, sent in place of the body as it comes. */
  readonly stream?: EventStream
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

export function parseBody({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

export function writeResponse({ status, body, headers, broken, stream }: JsonResponse): HttpResponse {
  if (stream) return { status, headers: { ...streamHeaders, ...headers }, body: '', stream }
  const response = jsonResponse(status, body, headers)
  if (broken === undefined) return response
  if (broken === 'garbled') return { ...response, body: response.body.slice(0, response.body.length / 2) }
  return { ...response, broken }
}

/** An input that was read; its refusal; or the response to a request whose body could not be read at all. */
export type Read<Value = unknown> =
  | { readonly value: Value; readonly refused?: never; readonly unread?: never }
  | { readonly value?: never; readonly refused: WireError; readonly unread?: never }
  | { readonly value?: never; readonly refused?: never; readonly unread: JsonResponse }

/** The options of {@link readInput}. */
export interface ReadInputOptions {
  /** The largest body that is read, bytes. */
  readonly maxBodyBytes: number
  /** True if operations without a query refuse one, so that `DELETE …/faults?fault_id=f1` does not clear all. */
  readonly strictQuery?: boolean
  /** True if a request without a body and without a type is read as an empty object. */
  readonly optionalBody?: boolean
}

/** Reads the input of a call where its operation has it, and validates it by the operation's shape. */
export async function readInput(
  operation: HandledOperation,
  request: HttpRequest,
  query: URLSearchParams,
  options: ReadInputOptions,
): Promise<Read> {
  const { in: place, input, validation, parsing, maxBodyBytes = options.maxBodyBytes } = operation
  const { strictQuery = false } = options
  const read = parsing === 'handler' ? readJsonBytes : readJson
  const body: Read = place === 'body' ? await read(request, { ...options, maxBodyBytes }) : nothing
  if (body.refused || body.unread) return body
  if (strictQuery && place !== 'query' && query.size > 0)
    return refuse([...new Set(query.keys())].map(field => ({ field, issue: unknownField })))
  if (validation === 'handler' || parsing === 'handler' || input === undefined) return body
  return place === 'query' ? readQuery(query, input) : validate(body.value, input)
}

function validate(value: unknown, shape: Shape): Read {
  const checked = checkInput(shape, value)
  return checked.issues ? refuse(fieldIssues(checked.issues, value)) : checked
}

type Shape = NonNullable<HandledOperation['input']>

const nothing = { value: undefined }

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*)?$/i

/** Reads the body of a request: its type (415), its size (413), its text (400), in the same way for every adapter. */
export async function readJson(request: HttpRequest, options: ReadInputOptions): Promise<Read> {
  const read = await readJsonBytes(request, options)
  if (read.refused || read.unread) return read
  try {
    return { value: JSON.parse(utf8.decode(read.value)) }
  } catch {
    return { refused: malformedJson(read.value) }
  }
}

/** Reads the body of a request as {@link readJson} does, up to its bytes, which are not parsed. */
async function readJsonBytes(
  { headers, body }: HttpRequest,
  { maxBodyBytes, optionalBody = false }: ReadInputOptions,
): Promise<Read<Uint8Array>> {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  const isOptional = optionalBody && type === undefined
  if (!isOptional && !jsonType.test(type ?? '')) return { refused: wrongType }
  if (encoding.toLowerCase() !== 'identity') return { refused: encoded }
  const bytes = await readBytes(body, maxBodyBytes)
  const isLarge = bytes === 'too-large'
  // Not by `instanceof`: bytes of jsdom are of another `Uint8Array`.
  if (!isLarge && 'status' in bytes) return { unread: bytes }
  if (isOptional) return isLarge || bytes.byteLength > 0 ? { refused: wrongType } : { value: emptyObject }
  return isLarge ? { refused: tooLarge(maxBodyBytes) } : { value: bytes }
}

const emptyObject = new TextEncoder().encode('{}')
const utf8 = new TextDecoder('utf-8', { fatal: true })

const wrongType = wireError(
  'unsupported_media_type',
  'Send a JSON body with the header content-type: application/json.',
)
/** With the codings that it accepts instead (RFC 9110, 12.5.3). */
const encoded: Refusal & WireError = {
  ...wireError('unsupported_media_type', 'Send the body without a content-encoding.'),
  headers: { 'accept-encoding': 'identity' },
}
const tooLarge = (maxBytes: number) => wireError('payload_too_large', `Send a body of at most ${maxBytes} bytes.`)

/** Reads query parameters. Digits are a number unless the shape expects a string. Refuses repeated ones. */
function readQuery(query: URLSearchParams, shape: Shape): Read {
  const [seen, repeated] = [new Set<string>(), new Set<string>()]
  for (const name of query.keys()) (seen.has(name) ? repeated : seen).add(name)
  if (repeated.size > 0) return refuse([...repeated].map(field => ({ field, issue: 'must be given once' })))
  const valuesBut = (texts: readonly unknown[]) =>
    Object.fromEntries(
      [...query].map(([name, text]) => [name, digits.test(text) && !texts.includes(name) ? Number(text) : text]),
    )
  const read = checkInput(shape, valuesBut([]))
  if (!read.issues) return read
  const wantText = read.issues.filter(issue => issue.code === 'invalid_type' && issue.expected === 'string')
  return validate(valuesBut(wantText.map(({ path }) => path[0])), shape)
}

/** As many as a number holds. */
const digits = /^\d{1,15}$/

function refuse(issues: FieldIssue[]): Read {
  return { refused: validationError(issues) }
}
