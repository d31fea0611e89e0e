import { wireError } from '@lead-distribution/contract'
import { readJson } from './read-json.ts'
import { createRouter, type Routed } from './route.ts'
import { type BrokenReply, type HttpRequest, type HttpResponse, jsonResponse } from './wire.ts'

/** One row of an operations table, as far as a handler needs it. */
export interface Handled extends Routed {
  /** Where the input is. */
  readonly in: 'body' | 'query' | 'none'
}

/** A call of an operation, its transport taken off. */
export interface Call<Name extends string = string> {
  readonly operation: Name
  readonly method: string
  readonly path: string
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: HttpRequest['headers']
  /** The parsed body of an operation that takes one; else undefined. */
  readonly body: unknown
}

/** What an implementation answers: a status, a JSON body and headers of its own. */
export interface JsonResponse {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  /** How it fails on its way. */
  readonly broken?: BrokenReply | undefined
}

/** Who calls; or the refusal, and whose call was refused, where that is known. */
export type Authenticated<Caller> =
  | { readonly caller: Caller; readonly refused?: never }
  | { readonly refused: JsonResponse; readonly caller?: Caller | undefined }

/** What a handler is made of. */
export interface HandlerOptions<Name extends string, Caller, Reply extends JsonResponse = JsonResponse> {
  /** The path that all operations stand below, such as `/api/v1`. */
  readonly basePath: string
  /** Every operation. */
  readonly operations: Readonly<Record<Name, Handled>>
  /** Who calls, before the body is looked at. */
  readonly authenticate: (call: Omit<Call<Name>, 'body'>) => Promise<Authenticated<Caller>>
  /** What each operation does. */
  readonly implementations: Readonly<Record<Name, (caller: Caller, call: Call<Name>) => Promise<Reply>>>
  /**
   * Stands around every call whose caller is known: `run` answers it, and is called once at the most. The body is
   * undefined where it could not be read or the caller was refused.
   */
  readonly around?: (
    caller: Caller,
    call: Call<Name>,
    run: () => Promise<Reply | JsonResponse>,
    refused: boolean,
  ) => Promise<JsonResponse>
  /** The largest body that is read, bytes. */
  readonly maxBodyBytes: number
  /** Told of every reply; the operation is undefined where the path or the method is of none. */
  readonly onReply?: (operation: Name | undefined, status: number) => void
  /** Told of a fault of ours, which the caller sees as a `500` without its text. */
  readonly onError: (fault: unknown, operation: Name) => void
}

/** Answers a request; undefined where its path is not below the handler's. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse | undefined>

/** From a wire request to a wire reply, by a table of operations. */
export function createHandler<Name extends string, Caller, Reply extends JsonResponse = JsonResponse>(
  options: HandlerOptions<Name, Caller, Reply>,
): Handler {
  const { basePath, operations, authenticate, implementations, maxBodyBytes, around } = options
  const route = createRouter(operations)

  async function answer(head: Omit<Call<Name>, 'body'>, request: HttpRequest): Promise<JsonResponse> {
    const { caller, refused } = await authenticate(head)
    if (refused && (caller === undefined || !around)) return refused
    const json = refused
      ? { refused }
      : operations[head.operation].in === 'body'
        ? readJson(request, maxBodyBytes)
        : noBody
    const call = { ...head, body: json.refused ? undefined : json.value }
    const run = async () => json.refused ?? implementations[head.operation](caller as Caller, call)
    return around ? around(caller as Caller, call, run, refused !== undefined) : run()
  }

  async function replyTo(request: HttpRequest): Promise<{ reply: HttpResponse; operation?: Name } | undefined> {
    const { method, target, headers } = request
    const [path = '', search = ''] = splitOnce(target, '?')
    if (!path.startsWith(`${basePath}/`)) return undefined
    const match = route(method, path.slice(basePath.length))
    if (!match) return { reply: toReply(unknownPath) }
    if ('allow' in match) return { reply: toReply(methodNotAllowed(match.allow)) }
    const { operation } = match
    const call = { ...match, method, path, query: new URLSearchParams(search), headers }
    try {
      return { reply: toReply(await answer(call, request)), operation }
    } catch (fault) {
      options.onError(fault, operation)
      return { reply: toReply(internalError), operation }
    }
  }

  return async request => {
    const answered = await replyTo(request)
    if (!answered) return undefined
    options.onReply?.(answered.operation, answered.reply.status)
    return answered.reply
  }
}

/** The refusal of a method that a path does not have, with `Allow`. */
export function methodNotAllowed(allow: readonly string[]): JsonResponse {
  const list = allow.join(', ')
  return { ...wireError('method_not_allowed', `Use one of these methods: ${list}.`), headers: { allow: list } }
}

const unknownPath = wireError(
  'not_found',
  'No operation has this path. Compare it with the specification, letter by letter.',
)
const internalError = wireError('internal_error', 'Something went wrong in the service. Try again later.')

const noBody = { value: undefined, refused: undefined }

function toReply({ status, body, headers, broken }: JsonResponse): HttpResponse {
  const reply = jsonResponse(status, body, headers)
  if (broken === undefined) return reply
  return broken === 'garbled' ? { ...reply, body: reply.body.slice(0, reply.body.length / 2) } : { ...reply, broken }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
