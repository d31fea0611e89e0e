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
  /** Returns the page that a browser requests; undefined for all that `handle` responds to. */
  readonly page: BrowserPages
  /** Returns the refusal of a request by its head, whatever its path. */
  readonly refuse: (request: IncomingMessage) => HttpResponse | undefined
  readonly uploads: Uploads
  /** Sends the responses that go on. */
  readonly streams: EventStreams
  /** Called for each request that was handed over. */
  readonly onResponse?: ((line: RequestLine) => void) | undefined
  /** Called for each error of the listener itself. */
  readonly onError: (error: unknown) => void
  /** Returns true if connections close after their response. */
  readonly isClosing: () => boolean
  /** Timeout of a receiver, milliseconds. */
  readonly responseMs: number
}

/** Responds to a request; its `url` is the path below where the sandbox is mounted. */
export type SandboxListener = (request: IncomingMessage, response: ServerResponse) => void

/** Hands requests to a sandbox, which matches paths and methods itself and reads bodies as far as it wants, and sends its responses. */
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
  wireError('internal_error', 'The request could not be handled: the log of the sandbox says why.'),
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
    // A request that came behind this one is read, and is answered, too.
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
  // What a body parser read before is there as bytes by `express.raw()` alone: no other value has what was sent.
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
 * Sends a response. Where the request is not whole, its sender goes on sending: it gets the response at once, and what
 * it sends is read on for a while, because a connection that is closed on its sender may lose the response.
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
  // Of a 304 it would be the length of what is not sent.
  const length = status === 304 ? undefined : { 'content-length': String(Buffer.byteLength(body)) }
  response.writeHead(status, { ...headers, ...length, ...close })
  // A sender that waits for `100 Continue` sends nothing: the response tells it not to.
  if (!isUnread || isClosing || request.listenerCount(bodyWanted) > 0) return void response.end(body)
  response.write(body)
  settle(response)
  await discard(request)
  response.end()
}

/** From this size on a response may not fit what the system buffers for a receiver that reads nothing, characters. */
const longResponse = 16_384

/** Ends the connection of a receiver that leaves a long response unread: it would stay in memory. */
function limitReceiver(response: ServerResponse, { body }: SentResponse, ms: number): void {
  if (body.length < longResponse) return
  const timer = setTimeout(() => response.destroy(), ms).unref()
  response.once('close', () => clearTimeout(timer))
}

/** Sends nothing, on purpose: the sender sees its connection reset, or waits until it gives up. */
function breakOff(how: 'cut' | 'withheld', response: ServerResponse, closing: boolean): void {
  if (how === 'cut' || closing) response.socket?.resetAndDestroy()
  else settle(response)
}

/** Lets a request wait until its connection is closed, or its response is sent. */
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

/** Responses that are whole for their receivers, or never sent at all. */
const settled = new WeakSet<ServerResponse>()

/** Marks a response of which nothing more is sent, although it is not ended. */
function settle(response: ServerResponse): void {
  settled.add(response)
}

/** Returns true if the server owes nothing more of this response. */
export function isSettled(response: ServerResponse): boolean {
  return settled.has(response)
}

function isFollowed(response: ServerResponse): boolean {
  const { socket } = response
  return socket !== null && ([...responsesOf(socket)].at(-1) ?? response) !== response
}
