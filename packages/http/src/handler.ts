import { wireError } from '@lead-distribution/contract'
import {
  type EventStream,
  type HttpRequest,
  type HttpResponse,
  type JsonResponse,
  type Refusal,
  writeResponse,
} from './http-message.ts'
import type { HandledOperation, Immutable, OperationTable, PathParameter, ReceivedInput, ReplyOf } from './operation.ts'
import { type ReadInputOptions, readInput } from './read-input.ts'
import { createRouter } from './router.ts'

/** A call of an operation before its input is read. */
export interface CallHead<Name extends string = string, Parameter extends string = string> {
  readonly operation: Name
  readonly method: string
  readonly path: string
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<Parameter, string>>
  readonly query: URLSearchParams
  readonly headers: HttpRequest['headers']
  readonly wait?: HttpRequest['wait']
}

/** A call of an operation. */
export interface Call<Name extends string = string, Input = unknown, Parameter extends string = string>
  extends CallHead<Name, Parameter> {
  /** The input, as the operation declares it. */
  readonly input: Input
}

/**
 * What a handler returns: the reply that its operation declares, with the status that it declares, or a refusal. One that
 * `streams` returns its stream.
 */
export type HandlerResult<Operation> =
  | (Operation extends { readonly streams: true } ? Streaming : WithBody<Immutable<ReplyOf<Operation>>>)
  | Refusal

/** A reply that is sent whole. */
export interface WithBody<Body> {
  readonly body: Body
  readonly status?: undefined
}

/** A reply that goes on as long as there are events. */
export interface Streaming {
  readonly stream: EventStream
  readonly status?: undefined
}

/** Does one operation. Responses of the type `Own` are sent unchanged. */
export type Handler<Operation extends HandledOperation, Principal, Own extends JsonResponse = never> = (
  principal: Principal,
  call: Call<string, ReceivedInput<Operation>, PathParameter<Operation['path']>>,
) => Promise<HandlerResult<Operation> | Own>

/** A handler for each operation of a table. */
export type Handlers<Operations extends OperationTable, Principal, Own extends JsonResponse = never> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name], Principal, Own>
}

/** The principal of a call; or the refusal, and the refused principal where it is known. */
export type Authenticated<Principal> =
  | { readonly principal: Principal; readonly refused?: never }
  | { readonly refused: Refusal; readonly principal?: Principal | undefined }

/** Finds the principal of a call, at once where it can. */
export type Authenticate<Name extends string, Principal> = (
  call: CallHead<Name>,
) => Authenticated<Principal> | Promise<Authenticated<Principal>>

/** What a request handler is made of. */
export interface HandlerOptions<Operations extends OperationTable, Principal, Own extends JsonResponse = never>
  extends ReadInputOptions {
  /** The path that all operations are below, such as `/api/v1`. */
  readonly basePath: string
  readonly operations: Operations
  /** True if a HEAD is answered as a GET, without the body. Default: false, because a GET may record something. */
  readonly answersHead?: boolean | undefined
  readonly handlers: Handlers<Operations, Principal, Own>
  /** Finds the principal of a call, before its body is looked at. */
  readonly authenticate: Authenticate<keyof Operations & string, Principal>
  /**
   * Wraps every call whose principal is known: `run` does it, and is called once at the most. The input is undefined
   * where it is refused or the principal was. A call whose body could not be read never gets here.
   */
  readonly around?: (
    principal: Principal,
    call: Call<keyof Operations & string>,
    run: () => Promise<Own | JsonResponse>,
    refused: boolean,
  ) => Promise<JsonResponse>
  /** Called with every internal error, which the caller sees as a `500` without its text, or as `refuseError` says. */
  readonly onError: (error: unknown, operation: keyof Operations & string) => void
  /** The refusal that the caller sees in place of the `500`; undefined where an error is an internal one. */
  readonly refuseError?: ((error: unknown) => Refusal | undefined) | undefined
}

/** Answers a request; undefined where its path is not below the handler's. */
export type RequestHandler = (request: HttpRequest) => Promise<HttpResponse | undefined>

/**
 * Answers requests by a table of operations: finds the operation, the principal and the input, which is validated by the
 * operation's shape, and writes what the operation's handler returns.
 */
export function createHandler<Operations extends OperationTable, Principal, Own extends JsonResponse = never>(
  options: HandlerOptions<Operations, Principal, Own>,
): RequestHandler {
  const { basePath, operations, handlers, answersHead = false, onError, refuseError } = options
  type Name = keyof Operations & string
  const route = createRouter<Name>(operations, () => answersHead)
  // A handler is only called with the input of its operation, which was validated by that operation's shape.
  const anyHandlers = handlers as unknown as AnyHandlers<Name, Principal, Own>
  const call = createCaller<Name, Principal, Own>({ ...options, operations, handlers: anyHandlers })

  return async request => {
    const { method, target, headers, wait } = request
    const [path, search] = splitOnce(target, '?')
    if (!path.startsWith(`${basePath}/`)) return undefined
    const match = route(method, path.slice(basePath.length))
    if (!match) return writeResponse(unknownPath)
    if ('allow' in match) return writeResponse(methodNotAllowed(match.allow))
    const { operation } = match
    try {
      const response = await call(
        { ...match, method, path, query: new URLSearchParams(search), headers, wait },
        request,
      )
      return { ...writeResponse(response), operation }
    } catch (error) {
      onError(error, operation)
      return { ...writeResponse(refuseError?.(error) ?? internalError), operation }
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

/** Makes what calls the handler of an operation, for the principal of the call and with its input. */
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

/** The stream of a HEAD: nothing is opened for one that nobody reads. */
async function* noEvents(): EventStream {}

/** The refusal of a method that a path does not have, with `Allow`. */
export function methodNotAllowed(allow: readonly string[]): Refusal {
  const list = allow.join(', ')
  return { ...wireError('method_not_allowed', `Use one of these methods: ${list}.`), headers: { allow: list } }
}

const unknownPath = wireError(
  'not_found',
  'No operation has this path. Compare it with the specification, letter by letter.',
)
const internalError = wireError('internal_error', 'Something went wrong in the service. Try again later.')

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
