import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type HttpRequest, type HttpResponse, jsonResponse } from '@lead-distribution/http'
import type { RequestLine } from '../log.ts'
import { readBody, SenderGone } from './read-body.ts'

/** What a connection emits when the response to its request is never sent: no request is under way on it any more. */
const withheld = 'withheld'

/**
 * Knows the connections of a server without a request under way, those that never sent one among them: Node
 * closes only the ones that had a request before.
 */
export function trackIdleConnections(server: Server): { closeIdle(): void } {
  const idle = new Set<Socket>()
  server.on('connection', socket => {
    idle.add(socket)
    socket.once('close', () => idle.delete(socket))
    socket.on(withheld, () => idle.add(socket))
  })
  server.on('request', ({ socket }, response) => {
    idle.delete(socket)
    response.once('close', () => socket.destroyed || idle.add(socket))
  })
  return {
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}

const responses: Record<string, { status: string; error: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'headers_too_large',
    message: 'Send headers of at most 16 KiB in all.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    error: 'request_timeout',
    message: 'Send the whole request sooner.',
  },
}

const malformed = { status: '400 Bad Request', error: 'malformed_request', message: 'Send well-formed HTTP/1.1.' }

/** Answers what is no HTTP request, too large in its headers or too slow, in the shape of 2.13, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, ...content } = responses[error.code ?? ''] ?? malformed
  const body = JSON.stringify(content)
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** What a listener needs of the sandbox behind it. */
export interface ListenerOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** The largest body that is handed over, bytes. */
  readonly maxBodyBytes: number
  /** Called for each request that was handed over. */
  readonly onResponse?: (line: RequestLine) => void
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
  const report = (status: number) =>
    options.onResponse?.({
      ...{ method, path: target.split('?', 1)[0] ?? '', operation: result.operation, status },
      ms: performance.now() - start,
    })
  if (result.broken) {
    breakOff(result.broken, response, options.isClosing())
    return report(0)
  }
  const close = cutShort || options.isClosing() ? { connection: 'close' } : undefined
  const length = { 'content-length': String(Buffer.byteLength(result.body)) }
  response.writeHead(result.status, { ...result.headers, ...length, ...close })
  response.end(result.body)
  report(result.status)
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
