import { wireError } from '@lead-distribution/contract'
import {
  type EventStream,
  type HttpRequest,
  type HttpResponse,
  type JsonResponse,
  type Refusal,
  writeResponse,
} from './http-message.ts'
import type { DeclaredOperation, Immutable, PathParameter, ReceivedInput, ReplyOf } from './operation.ts'
import { createRouter, methodNotAllowed } from './router.ts'

/** A call of an operation. Layers add data for the layers and the handler after them. */
export interface Call<Name extends string = string, Input = unknown, Parameter extends string = string> {
  readonly operation: Name
  readonly declared: DeclaredOperation
  readonly request: HttpRequest
  readonly method: string
  readonly path: string
  /** The path parameters, decoded; UUIDs in lower case. */
  readonly params: Readonly<Record<Parameter, string>>
  readonly query: URLSearchParams
  readonly headers: HttpRequest['headers']
  readonly wait?: HttpRequest['wait']
  /** The input, as the operation declares it; undefined before `readInput`. */
  input: Input
  /** The body as sent; undefined if it was not read. */
  bytes?: Uint8Array
  /** The refusal that `refuseCall` responds with, so that the layers before it still see the call. */
  refused?: Refusal
}

/** Runs the remaining layers, then the handler. */
export type Next = () => Promise<JsonResponse>

/** A concern of a service, wrapped around all layers after it in the list. */
export type Layer<Called extends Call = Call> = (call: Called, next: Next) => Promise<JsonResponse>

/**
 * The result of a handler: a declared response, a refusal, the stream of an operation that `streams`, or
 * newline-delimited JSON.
 */
export type HandlerResult<Declared> =
  | (Declared extends { readonly streams: true }
      ? Streaming
      : Declared extends { readonly lines: 'reply' }
        ? WithLines
        : WithBody<Immutable<ReplyOf<Declared>>>)
  | Refusal

/** A response with a complete body. */
export interface WithBody<Body> {
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: undefined
}

/** A response that streams events. */
export interface Streaming {
  readonly stream: EventStream
  readonly status?: undefined
}

/** A response of newline-delimited JSON, already serialized by the handler. */
export interface WithLines {
  readonly lines: string
  readonly status?: undefined
}

/** A call of an operation, with the input and the parameters that the operation declares. */
export type CallOf<Declared extends DeclaredOperation> = Call<
  string,
  ReceivedInput<Declared>,
  PathParameter<Declared['path']>
>

/** An operation with its handler. The handler determines the types of the call and the context. */
export interface HandledOperation extends DeclaredOperation {
  readonly handle: (call: never, context: never) => Promise<WithBody<object> | Streaming | WithLines | JsonResponse>
}

export interface ServiceOptions<Name extends string, Called extends Call> {
  /** The base path of all operations, such as `/api/v1`. */
  readonly basePath: string
  readonly operations: Readonly<Record<Name, HandledOperation>>
  /** The layers around the handlers, outermost first. */
  readonly layers: readonly Layer<Called>[]
  /** The second argument of every handler. */
  readonly context?: unknown
  /** True to handle a HEAD as a GET, without the body. Default: false, because a GET may record something. */
  readonly answersHead?: boolean | undefined
  /** Called with every internal error. The client gets a `500` without its message. */
  readonly onError: (error: unknown, operation: Name) => void
}

/** Handles a request. Resolves with undefined if its path is not below the base path. */
export type RequestHandler = (request: HttpRequest) => Promise<HttpResponse | undefined>

/** Creates a request handler: finds the operation for each request, and runs the layers and the operation's handler. */
export function createService<Name extends string, Called extends Call<Name>>(
  options: ServiceOptions<Name, Called>,
): RequestHandler {
  const { basePath, operations, layers, context, answersHead = false, onError } = options
  // Built once: a string concatenated per request would be hashed again by the metrics.
  const routes = new Map(
    Object.entries<HandledOperation>(operations).map(([name, { path }]) => [name, `${basePath}${path}`]),
  )
  const findOperation = createRouter<Name>(operations, () => answersHead)

  function run(call: Called, index: number): Promise<JsonResponse> {
    const layer = layers[index]
    return layer ? layer(call, () => run(call, index + 1)) : handle(call)
  }

  async function handle(call: Called): Promise<JsonResponse> {
    const { handle, status = 200 } = operations[call.operation]
    // The layers have set everything that the handler needs, and validated the input against the operation's shape.
    const result = await handle(call as never, context as never)
    return result.status === undefined ? { body: {}, ...result, status } : result
  }

  return async function handleRequest(request) {
    const { method, target, headers, wait } = request
    const [path, search] = splitOnce(target, '?')
    if (!path.startsWith(`${basePath}/`)) return undefined
    const match = findOperation(method, path.slice(basePath.length))
    if (!match) return writeResponse(unknownPath)
    if ('allow' in match) return writeResponse(methodNotAllowed(match.allow))
    const { operation, params } = match
    const route = routes.get(operation) ?? ''
    const declared = operations[operation]
    const query = new URLSearchParams(search)
    const call: Call<Name> = {
      operation,
      declared,
      request,
      method,
      path,
      params,
      query,
      headers,
      wait,
      input: undefined,
    }
    try {
      return { ...writeResponse(await run(call as Called, 0)), operation, route }
    } catch (error) {
      onError(error, operation)
      return { ...writeResponse(internalError), operation, route }
    }
  }
}

/** Responds with the refusal that an earlier layer found. */
export const refuseCall: Layer = async ({ refused }, next) => refused ?? next()

/** Responds to the HEAD of a stream without opening it, because nothing of it is read. */
export const answerHead: Layer = async ({ method, declared }, next) =>
  method === 'HEAD' && declared.streams ? { status: 200, body: {}, stream: noEvents() } : next()

async function* noEvents(): EventStream {}

const unknownPath = wireError('not_found', 'No operation has this path. Compare it with the specification.')
const internalError = wireError('internal_error', 'Something went wrong in the service. Try again later.')

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
