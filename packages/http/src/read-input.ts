import { type FieldIssue, validationError, type WireError, wireError } from '@lead-distribution/contract'
import { checkInput, fieldIssues, unknownField } from '@lead-distribution/contract/shapes'
import { type HttpRequest, type JsonResponse, type Refusal, readBytes } from './http-message.ts'
import { malformedJson } from './malformed-json.ts'
import type { DeclaredOperation } from './operation.ts'
import type { Call, Layer } from './service.ts'

/** An input that was read; its refusal; or the response to a request whose body could not be read at all. */
type Read<Value = unknown> =
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

/**
 * Creates the layer that reads the input of a call where its operation has it, and validates it by the operation's shape.
 * An input that is wrong is refused by `refuseCall`, one that cannot be read at once.
 */
export function readInput(options: ReadInputOptions): Layer {
  return async (call, next) => {
    // A body takes memory, which a caller that is refused is not given.
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
 * Reads the body of a request: its type (415), its size (413), its text (400), in the same way for every adapter. `onBytes`
 * is called with a body that was read, also if it is not JSON.
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

/** Reads the body of a request as {@link readJson} does, up to its bytes, which are not parsed. */
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
const wrongLinesType = wireError(
  'unsupported_media_type',
  'Send lines of JSON with the header content-type: application/x-ndjson.',
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
