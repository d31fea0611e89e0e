import { type FieldIssue, validationError, type WireError, wireError } from '@lead-distribution/contract'
import { checkInput, fieldIssues, unknownField } from '@lead-distribution/contract/shapes'
import { type HttpRequest, type JsonResponse, type Refusal, readBytes } from './http-message.ts'
import { malformedJson } from './malformed-json.ts'
import type { DeclaredOperation } from './operation.ts'
import type { Call, Layer } from './service.ts'

/** A valid input; a refused one; or the response to a request with an unreadable body. */
type Read<Value = unknown> =
  | { readonly value: Value; readonly refused?: never; readonly unread?: never }
  | { readonly value?: never; readonly refused: WireError; readonly unread?: never }
  | { readonly value?: never; readonly refused?: never; readonly unread: JsonResponse }

/** The options of {@link readInput}. */
export interface ReadInputOptions {
  /** The maximum size of a body that is read, in bytes. */
  readonly maxBodyBytes: number
  /** True if operations without a query refuse one, so that `DELETE …/faults?fault_id=f1` does not clear all faults. */
  readonly strictQuery?: boolean
  /** True if a request without a body and without a content type counts as an empty object. */
  readonly optionalBody?: boolean
}

/**
 * Creates the layer that reads a call's input from its declared location and validates it against the operation's
 * shape. Invalid input is refused later, by `refuseCall`; unreadable input is refused immediately.
 */
export function readInput(options: ReadInputOptions): Layer {
  return async (call, next) => {
    // A body takes memory, so it is not read for a refused caller.
    if (call.refused) return next()
    const { value, refused, unread } = await readInputOf(call, options)
    if (unread) return unread
    call.input = value
    if (refused) call.refused = refused
    return next()
  }
}

async function readInputOf(call: Call, options: ReadInputOptions): Promise<Read> {
  const { declared, request, query } = call
  const { in: place, input, validation, lines, maxBodyBytes = options.maxBodyBytes } = declared
  const { strictQuery = false } = options
  const readBody = () =>
    lines === 'input'
      ? readTyped(request, { ...options, maxBodyBytes }, linesType, wrongLinesType)
      : readJson(request, { ...options, maxBodyBytes }, bytes => {
          call.bytes = bytes
        })
  const body: Read = place === 'body' ? await readBody() : nothing
  if (body.refused || body.unread) return body
  if (strictQuery && place !== 'query' && query.size > 0)
    return refuse([...new Set(query.keys())].map(field => ({ field, issue: unknownField })))
  if (validation === 'handler' || lines === 'input' || input === undefined) return body
  return place === 'query' ? readQuery(query, input) : validate(body.value, input)
}

function validate(value: unknown, shape: Shape): Read {
  const checked = checkInput(shape, value)
  return checked.issues ? refuse(fieldIssues(checked.issues, value)) : checked
}

type Shape = NonNullable<DeclaredOperation['input']>

const nothing = { value: undefined }

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*)?$/i
const linesType = /^application\/x-ndjson\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*)?$/i

/**
 * Reads the body of a request: its type (415), size (413) and text (400), the same way for every adapter. `onBytes` is
 * called with every body that was read, even if it is not JSON.
 */
export async function readJson(
  request: HttpRequest,
  options: ReadInputOptions,
  onBytes?: (bytes: Uint8Array) => void,
): Promise<Read> {
  const read = await readTyped(request, options, jsonType, wrongType)
  if (read.refused || read.unread) return read
  onBytes?.(read.value)
  try {
    return { value: JSON.parse(utf8.decode(read.value)) }
  } catch {
    return { refused: malformedJson(read.value) }
  }
}

/** Reads a request's body like {@link readJson}, but returns the bytes without parsing them. */
async function readTyped(
  { headers, body }: HttpRequest,
  { maxBodyBytes, optionalBody = false }: ReadInputOptions,
  expected: RegExp,
  wrongType: WireError,
): Promise<Read<Uint8Array>> {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  const isOptional = optionalBody && type === undefined
  if (!isOptional && !expected.test(type ?? '')) return { refused: wrongType }
  if (encoding.toLowerCase() !== 'identity') return { refused: encoded }
  const bytes = await readBytes(body, maxBodyBytes)
  const isLarge = bytes === 'too-large'
  // Not `instanceof`: jsdom's bytes belong to another `Uint8Array`.
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
const wrongLinesType = wireError(
  'unsupported_media_type',
  'Send newline-delimited JSON with the header content-type: application/x-ndjson.',
)
/** With the accepted codings (RFC 9110, 12.5.3). */
const encoded: Refusal & WireError = {
  ...wireError('unsupported_media_type', 'Send the body without a content-encoding.'),
  headers: { 'accept-encoding': 'identity' },
}
const tooLarge = (maxBytes: number) => wireError('payload_too_large', `Send a body of at most ${maxBytes} bytes.`)

/** Reads query parameters. Digits become a number unless the shape expects a string. Refuses repeated parameters. */
function readQuery(query: URLSearchParams, shape: Shape): Read {
  const [seen, repeated] = [new Set<string>(), new Set<string>()]
  for (const name of query.keys()) (seen.has(name) ? repeated : seen).add(name)
  if (repeated.size > 0) return refuse([...repeated].map(field => ({ field, issue: 'must be given only once' })))
  const valuesBut = (texts: readonly unknown[]) =>
    Object.fromEntries(
      [...query].map(([name, text]) => [name, digits.test(text) && !texts.includes(name) ? Number(text) : text]),
    )
  const read = checkInput(shape, valuesBut([]))
  if (!read.issues) return read
  const wantText = read.issues.filter(issue => issue.code === 'invalid_type' && issue.expected === 'string')
  return validate(valuesBut(wantText.map(({ path }) => path[0])), shape)
}

/** At most as many digits as a number can represent. */
const digits = /^\d{1,15}$/

function refuse(issues: FieldIssue[]): Read {
  return { refused: validationError(issues) }
}
