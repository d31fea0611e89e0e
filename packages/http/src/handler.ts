import { canonicalUuid, wireError } from '@lead-distribution/contract'
import {
  type EventStream,
  type HttpRequest,
  type HttpResponse,
  type JsonResponse,
  type ReadInputOptions,
  type Refusal,
  readInput,
  writeResponse,
} from './http-message.ts'
import type { HandledOperation, Immutable, OperationTable, PathParameter, ReceivedInput, ReplyOf } from './operation.ts'

/** A call of an operation before its input is read. */
export interface CallHead<Name extends string = string, Parameter extends string = string> {
  readonly operation: Name
  readonly method: string
  readonly path: string
  /** The parameters of the path, decoded; a UUID in lower case. */
  readonly params: Readonly<Record<Parameter, string>>
  readonly query: URLSearchParams
  readonly headers: HttpRequest['headers']
  readonly wait?: HttpRequest['wait']
}

export interface Call<Name extends string = string, Input = unknown, Parameter extends string = string>
  extends CallHead<Name, Parameter> {
  /** The input, as the operation declares it. */
  readonly input: Input
}

/** The result of a handler: a declared response, a refusal, or the stream of an operation that `streams`. */
export type HandlerResult<Operation> =
  | (Operation extends { readonly streams: true } ? Streaming : WithBody<Immutable<ReplyOf<Operation>>>)
  | Refusal

/** A response that is sent whole. */
export interface WithBody<Body> {
  readonly body: Body
  readonly status?: undefined
}

/** A response that streams events. */
export interface Streaming {
  readonly stream: EventStream
  readonly status?: undefined
}

/** Does one operation. Responses of the type `Own` are sent unchanged. */
export type Handler<Operation extends HandledOperation, Principal, Own extends JsonResponse = never> = (
  principal: Principal,
  call: Call<string, ReceivedInput<Operation>, PathParameter<Operation['path']>>,
) => Promise<HandlerResult<Operation> | Own>

export type Handlers<Operations extends OperationTable, Principal, Own extends JsonResponse = never> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name], Principal, Own>
}

/** The principal of a call; or the refusal, and the refused principal if it is known. */
export type Authenticated<Principal> =
  | { readonly principal: Principal; readonly refused?: never }
  | { readonly refused: Refusal; readonly principal?: Principal | undefined }

/** Finds the principal of a call, synchronously if it can. */
export type Authenticate<Name extends string, Principal> = (
  call: CallHead<Name>,
) => Authenticated<Principal> | Promise<Authenticated<Principal>>

export interface HandlerOptions<Operations extends OperationTable, Principal, Own extends JsonResponse = never>
  extends ReadInputOptions {
  /** The path that all operations are below, such as `/api/v1`. */
  readonly basePath: string
  readonly operations: Operations
  /** True if a HEAD is handled as a GET, without the body. Default: false, because a GET may record something. */
  readonly answersHead?: boolean | undefined
  readonly handlers: Handlers<Operations, Principal, Own>
  /** Finds the principal of a call, before its body is looked at. */
  readonly authenticate: Authenticate<keyof Operations & string, Principal>
  /** Wraps a call whose principal is known and whose body was read; `run` makes it. Refused input is undefined. */
  readonly around?: (
    principal: Principal,
    call: Call<keyof Operations & string>,
    run: () => Promise<Own | JsonResponse>,
    refused: boolean,
  ) => Promise<JsonResponse>
  /** Called with every internal error. The caller gets a `500` without its text, or the refusal of `refuseError`. */
  readonly onError: (error: unknown, operation: keyof Operations & string) => void
  /** Returns the refusal that the caller gets instead of the `500`; undefined for an internal error. */
  readonly refuseError?: ((error: unknown) => Refusal | undefined) | undefined
}

/** Handles a request. Resolves to undefined if its path is not below the handler's. */
export type RequestHandler = (request: HttpRequest) => Promise<HttpResponse | undefined>

/** Creates a handler of requests from a table of operations: finds the operation and validates its input. */
export function createHandler<Operations extends OperationTable, Principal, Own extends JsonResponse = never>(
  options: HandlerOptions<Operations, Principal, Own>,
): RequestHandler {
  const { basePath, operations, handlers, answersHead = false, onError, refuseError } = options
  type Name = keyof Operations & string
  // Made once: a text that is put together for each request would be hashed anew by the metrics.
  const routes = new Map(Object.entries(operations).map(([name, { path }]) => [name, `${basePath}${path}`]))
  const findOperation = createRouter<Name>(operations, () => answersHead)
  // A handler is only called with the input of its operation, which was validated by that operation's shape.
  const anyHandlers = handlers as unknown as AnyHandlers<Name, Principal, Own>
  const call = createCaller<Name, Principal, Own>({ ...options, operations, handlers: anyHandlers })

  return async function handle(request) {
    const { method, target, headers, wait } = request
    const [path, search] = splitOnce(target, '?')
    if (!path.startsWith(`${basePath}/`)) return undefined
    const match = findOperation(method, path.slice(basePath.length))
    if (!match) return writeResponse(unknownPath)
    if ('allow' in match) return writeResponse(methodNotAllowed(match.allow))
    const { operation } = match
    const route = routes.get(operation) ?? ''
    try {
      const response = await call(
        { ...match, method, path, query: new URLSearchParams(search), headers, wait },
        request,
      )
      return { ...writeResponse(response), operation, route }
    } catch (error) {
      onError(error, operation)
      return { ...writeResponse(refuseError?.(error) ?? internalError), operation, route }
    }
  }
}

/** The options without the types of single operations. */
type CallerOptions<Name extends string, Principal, Own extends JsonResponse> = ReadInputOptions & {
  readonly operations: Readonly<Record<Name, HandledOperation>>
  readonly handlers: AnyHandlers<Name, Principal, Own>
  readonly authenticate: Authenticate<Name, Principal>
  readonly around?: HandlerOptions<Record<Name, HandledOperation>, Principal, Own>['around']
}

type AnyHandlers<Name extends string, Principal, Own extends JsonResponse> = Readonly<
  Record<Name, (principal: Principal, call: Call<Name>) => Promise<WithBody<object> | Streaming | Refusal | Own>>
>

/** Creates the function that calls the handler of an operation, with the principal and the input of the call. */
function createCaller<Name extends string, Principal, Own extends JsonResponse>(
  options: CallerOptions<Name, Principal, Own>,
) {
  const { operations, handlers, authenticate, around } = options
  return async (head: CallHead<Name>, request: HttpRequest): Promise<JsonResponse> => {
    const authenticated = await authenticate(head)
    const { principal } = authenticated
    if (authenticated.refused && (principal === undefined || !around)) return authenticated.refused
    const operation = operations[head.operation]
    // Only now: a body takes memory, which a caller without a key is not given.
    const read = authenticated.refused ? authenticated : await readInput(operation, request, head.query, options)
    if ('unread' in read && read.unread) return read.unread
    const call = { ...head, input: read.refused ? undefined : read.value }
    const run = async (): Promise<Own | JsonResponse> => {
      if (read.refused) return read.refused
      if (head.method === 'HEAD' && operation.streams) return { status: 200, body: {}, stream: noEvents() }
      const result = await handlers[head.operation](principal as Principal, call)
      return result.status === undefined ? { body: {}, ...result, status: operation.status ?? 200 } : result
    }
    return around ? around(principal as Principal, call, run, authenticated.refused !== undefined) : run()
  }
}

/** The stream of a HEAD: opens nothing, because nothing is read. */
async function* noEvents(): EventStream {}

/** The refusal of a method that a path does not have, with `Allow`. */
export function methodNotAllowed(allow: readonly string[]): Refusal {
  const list = allow.join(', ')
  return { ...wireError('method_not_allowed', `Use one of these methods: ${list}.`), headers: { allow: list } }
}

const unknownPath = wireError('not_found', 'No operation has this path. Compare it with the specification.')
const internalError = wireError('internal_error', 'Something went wrong in the service. Try again later.')

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** The path and the methods of an operation. */
export interface Routed {
  readonly methods: readonly string[]
  readonly path: string
}

/** The match of a path and a method. */
export type Match<Name extends string> =
  | { readonly operation: Name; readonly params: Readonly<Record<string, string>> }
  /** The methods of the path, if it does not have this one. */
  | { readonly allow: readonly string[] }

interface Path<Name extends string> {
  readonly segments: readonly string[]
  readonly byMethod: Map<string, Name>
}

/**
 * Finds the operation of a path and a method. Paths are matched here and not by frameworks, which differ in
 * HEAD, OPTIONS, trailing slashes and malformed escapes: here each is taken literally. A HEAD is a GET of the operations for
 * which `answersHead` returns true, by default of none, since a GET may record something.
 */
export function createRouter<Name extends string>(
  table: Readonly<Record<Name, Routed>>,
  answersHead: (name: Name) => boolean = () => false,
) {
  const paths = new Map<string, Path<Name>>()
  for (const [name, { path, methods }] of Object.entries<Routed>(table)) {
    const entry = paths.get(path) ?? { segments: path.split('/'), byMethod: new Map() }
    for (const method of methods) {
      entry.byMethod.set(method, name as Name)
      if (method === 'GET' && answersHead(name as Name)) entry.byMethod.set('HEAD', name as Name)
    }
    paths.set(path, entry)
  }
  const withParams = [...paths.values()].filter(({ segments }) => segments.some(isParam))

  /** Returns undefined if no operation has the path. */
  return (method: string, path: string): Match<Name> | undefined => {
    // A path without parameters goes first: `/leads/explain` is not the lead `explain`.
    const literal = path.includes('/:') ? undefined : paths.get(path)
    if (literal) return matchOf(literal, method, {})
    const given = path.split('/')
    for (const candidate of withParams) {
      const params = paramsOf(candidate.segments, given)
      if (params) return matchOf(candidate, method, params)
    }
    return undefined
  }
}

function matchOf<Name extends string>(
  { byMethod }: Path<Name>,
  method: string,
  params: Readonly<Record<string, string>>,
): Match<Name> {
  const operation = byMethod.get(method)
  return operation ? { operation, params } : { allow: [...byMethod.keys()] }
}

const isParam = (segment: string) => segment.startsWith(':')

function paramsOf(pattern: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, wanted] of pattern.entries()) {
    const segment = given[index] ?? ''
    if (!isParam(wanted)) {
      if (wanted !== segment) return undefined
      continue
    }
    const value = decode(segment)
    if (!value) return undefined
    params[wanted.slice(1)] = canonicalUuid(value)
  }
  return params
}

function decode(segment: string): string | undefined {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment
  } catch {
    return undefined
  }
}
