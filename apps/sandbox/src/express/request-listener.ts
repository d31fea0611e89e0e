import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HttpRequest, type HttpResponse, jsonResponse } from '@lead-distribution/http'
import { withheld } from '../connections.ts'
import { readBody, SenderGone } from './read-body.ts'

/** What a listener needs of the sandbox behind it. */
export interface ListenerOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** The largest body that is handed over, bytes. */
  readonly maxBodyBytes: number
  /** Called for each response to a request that was handed over: no query, no header, no body. */
  readonly onResponse?: (line: { method: string; path: string; status: number; ms: number }) => void
  /** Called for each error of the listener itself. */
  readonly onError: (error: unknown) => void
  /** Whether connections are to be closed after their response. */
  readonly isClosing: () => boolean
}

/** Answers a request; `url` is its path below where the sandbox is mounted. */
export type SandboxListener = (request: IncomingMessage, response: ServerResponse) => void

/** Hands the raw bytes of requests to a sandbox, which matches paths and methods itself, and sends its responses. */
export function createRequestListener(options: ListenerOptions): SandboxListener {
  return (request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      if (!(error instanceof SenderGone)) options.onError(error)
      response.destroy()
    })
  }
}

async function answer(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const start = performance.now()
  const { method = 'GET', url: target = '/' } = request
  const read = hasBody(request) ? await bodyOf(request, options.maxBodyBytes) : noBody
  if (read === 'consumed') options.onError(new Error(consumedMessage))
  const { body, cutShort } = read === 'consumed' ? noBody : read
  const headers = request.headers as HttpRequest['headers']
  const result = read === 'consumed' ? consumed : await options.handle({ method, target, headers, body })
  if (result.broken) return breakOff(result.broken, response, options.isClosing())
  const close = cutShort || options.isClosing() ? { connection: 'close' } : undefined
  const length = { 'content-length': String(Buffer.byteLength(result.body)) }
  response.writeHead(result.status, { ...result.headers, ...length, ...close })
  response.end(result.body)
  options.onResponse?.({
    method,
    path: target.split('?', 1)[0] ?? '',
    status: result.status,
    ms: performance.now() - start,
  })
}

/** Sends nothing, on purpose: the sender sees its connection reset, or waits until it gives up. */
function breakOff(how: 'cut' | 'withheld', { socket }: ServerResponse, closing: boolean): void {
  if (how === 'cut' || closing) socket?.resetAndDestroy()
  else socket?.emit(withheld)
}

const noBody = { body: new Uint8Array(), cutShort: false }

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * The bytes of a request. Where a body parser read them before: those of `express.raw()`, which keeps them; any other
 * parser leaves a value from which the bytes that were sent cannot be known.
 */
async function bodyOf(request: IncomingMessage & { readonly body?: unknown }, maxBytes: number) {
  if (!request.readableDidRead) return readBody(request, maxBytes)
  return request.body instanceof Uint8Array ? { body: request.body, cutShort: false } : 'consumed'
}

const consumedMessage =
  'A body parser read this request before the sandbox, which needs the bytes: mount createSandboxRouter() before express.json() and the like.'

const consumed = jsonResponse(500, { error: 'internal_error', message: consumedMessage })
