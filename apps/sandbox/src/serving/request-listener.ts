import type { IncomingMessage, ServerResponse } from 'node:http'
import { wireError } from '@lead-distribution/contract'
import { type BodyReader, type HttpRequest, type HttpResponse, type Wait, writeResponse } from '@lead-distribution/http'
import { type RequestLine, requestLine } from '../log.ts'
import type { BrowserPages } from './browser-pages.ts'
import type { EventStreams } from './event-streams.ts'
import { bodyWanted, discard, discardBytes, type Uploads } from './limits.ts'
import { createTaggedResponses, type SentResponse } from './tagged-responses.ts'
import { responsesOf } from './unread-requests.ts'

export interface ListenerOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** Returns the page for a browser; undefined for requests that `handle` responds to. */
  readonly page: BrowserPages
  /** Returns the error response for a request with invalid headers, whatever its path. */
  readonly refuse: (request: IncomingMessage) => HttpResponse | undefined
  readonly uploads: Uploads
  /** Sends streaming responses. */
  readonly streams: EventStreams
  /** Called for each request passed to the sandbox. */
  readonly onResponse?: ((line: RequestLine) => void) | undefined
  /** Called for each error in the listener itself. */
  readonly onError: (error: unknown) => void
  /** Returns true if connections are closed after their response. */
  readonly isClosing: () => boolean
  /** Timeout for a client to receive a response, milliseconds. */
  readonly responseMs: number
}

/** Responds to a request. Its `url` is the path relative to the mount path. */
export type SandboxListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Passes requests to a sandbox and sends its responses. The sandbox itself matches paths and methods, and reads bodies
 * as far as it needs.
 */
export function createRequestListener(options: ListenerOptions): SandboxListener {
  const encodeTagged = createTaggedResponses()
  const encode: Encode = (result, request) =>
    result.headers.etag === undefined ? result : encodeTagged(result, result.headers.etag, request)
  return (request, response) => {
    answer(options, encode, request, response).catch((error: unknown) => {
      options.onError(error)
      if (response.headersSent) return void response.destroy()
      const { status, headers, body } = failed
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    })
  }
}

const failed = writeResponse(
  wireError('internal_error', 'The request could not be handled: see the log of the sandbox.'),
)

type Result = Omit<HttpResponse, 'body'> & SentResponse
type Encode = (result: SentResponse, request: IncomingMessage) => SentResponse | Promise<SentResponse>

async function answer(
  options: ListenerOptions,
  encode: Encode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const start = performance.now()
  const { method = 'GET', url: target = '/' } = request
  const line = { method, target, wait: waitOf(response) }
  const refused = options.refuse(request)
  const page = refused ? undefined : options.page({ ...line, headers: request.headers as HttpRequest['headers'] })
  const result: Result = refused ?? (page && (await page)) ?? (await handle(options, request, line))
  if (result.broken) breakOff(result.broken, response, options.isClosing())
  else if (result.stream) await options.streams.send(response, result, result.stream)
  else {
    limitReceiver(response, result, options.responseMs)
    // A pipelined request after this one has been read, and gets a response too.
    const sent = await encode(result, request)
    await send(sent, request, response, options.isClosing() && !isFollowed(response))
  }
  if (!options.onResponse) return
  const { broken, operation, status, body } = result
  const path = target.split('?', 1)[0] ?? ''
  const answered = { method, path, operation, status: broken ? 0 : status, ms: performance.now() - start }
  options.onResponse(requestLine(answered, broken || typeof body !== 'string' ? '' : body))
}

async function handle(
  { handle, uploads, onError }: ListenerOptions,
  request: IncomingMessage & { readonly body?: unknown },
  line: Pick<HttpRequest, 'method' | 'target' | 'wait'>,
): Promise<HttpResponse> {
  const headers = request.headers as HttpRequest['headers']
  if (!hasBody(request)) return handle({ ...line, headers, body: noBytes })
  // A body that an earlier parser has read is only available as bytes with `express.raw()`; other parsers lose the
  // original.
  if (request.readableDidRead) {
    const parsed = request.body instanceof Uint8Array ? request.body : consumed(onError)
    return handle({ ...line, headers, body: parsed })
  }
  const upload = uploads.of(request)
  try {
    return await handle({ ...line, headers, body: upload.read })
  } finally {
    upload.release()
  }
}

/**
 * Sends a response. If the request is incomplete, the client gets the response immediately and the rest of the request
 * is read for a while, because a client whose connection is closed while it sends may lose the response.
 */
async function send(
  { status, headers, body }: SentResponse,
  request: IncomingMessage,
  response: ServerResponse,
  isClosing: boolean,
): Promise<void> {
  const isUnread = !request.complete && hasBody(request)
  const isLong = isUnread && !(Number(request.headers['content-length']) <= discardBytes)
  const close = isClosing || isLong ? { connection: 'close' } : undefined
  // For a 304 it would be the length of a body that is not sent.
  const length = status === 304 ? undefined : { 'content-length': String(Buffer.byteLength(body)) }
  response.writeHead(status, { ...headers, ...length, ...close })
  // A client that waits for `100 Continue` sends nothing: the response tells it not to.
  if (!isUnread || isClosing || request.listenerCount(bodyWanted) > 0) return void response.end(body)
  response.write(body)
  settle(response)
  await discard(request)
  response.end()
}

/** From this size, a response may exceed the system's buffers for a client that reads nothing, characters. */
const longResponse = 16_384

/** Closes the connection of a client that does not read a long response, which would stay in memory. */
function limitReceiver(response: ServerResponse, { body }: SentResponse, ms: number): void {
  if (body.length < longResponse) return
  const timer = setTimeout(() => response.destroy(), ms).unref()
  response.once('close', () => clearTimeout(timer))
}

/** Sends nothing, on purpose: the client sees a connection reset, or waits until it times out. */
function breakOff(how: 'cut' | 'withheld', response: ServerResponse, closing: boolean): void {
  if (how === 'cut' || closing) response.socket?.resetAndDestroy()
  else settle(response)
}

/** Suspends a request until its connection is closed or its response is sent. */
function waitOf(response: ServerResponse): Wait {
  return async run => {
    const gone = new AbortController()
    const end = () => gone.abort()
    if (response.destroyed) end()
    else response.once('close', end)
    try {
      return await run(gone.signal)
    } finally {
      response.off('close', end)
    }
  }
}

const noBytes = new Uint8Array()

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

const consumedMessage =
  'A body parser read this request before the sandbox, which needs the raw bytes. Mount createSandboxRouter() before body parsers such as express.json().'

function consumed(onError: ListenerOptions['onError']): BodyReader {
  return async () => {
    onError(new Error(consumedMessage))
    return { status: 500, body: { error: 'internal_error', message: consumedMessage } }
  }
}

/** Responses that are complete, or never sent. */
const settled = new WeakSet<ServerResponse>()

/** Marks a response as finished although it is not ended. */
function settle(response: ServerResponse): void {
  settled.add(response)
}

/** Returns true if the server will send nothing more of this response. */
export function isSettled(response: ServerResponse): boolean {
  return settled.has(response)
}

function isFollowed(response: ServerResponse): boolean {
  const { socket } = response
  return socket !== null && ([...responsesOf(socket)].at(-1) ?? response) !== response
}
