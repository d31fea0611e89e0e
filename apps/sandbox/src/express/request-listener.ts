import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { wireError } from '@lead-distribution/contract'
import { type BodyReader, type HttpRequest, type HttpResponse, type Wait, writeResponse } from '@lead-distribution/http'
import fresh from 'fresh'
import Negotiator from 'negotiator'
import { type RequestLine, requestLine } from '../log.ts'
import { bodyWanted, discard, discardBytes, type Uploads } from './limits.ts'
import { responsesOf } from './unread-requests.ts'

export interface ListenerOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** Returns the refusal of a request by its head, whatever its path. */
  readonly refuse: (request: IncomingMessage) => HttpResponse | undefined
  readonly uploads: Uploads
  /** Sends the responses that go on. */
  readonly streams: EventStreams
  /** Called for each request that was handed over. */
  readonly onResponse?: (line: RequestLine) => void
  /** Called for each error of the listener itself. */
  readonly onError: (error: unknown) => void
  /** Returns true if connections close after their response. */
  readonly isClosing: () => boolean
  /** Timeout of a receiver, milliseconds. */
  readonly responseMs: number
}

/** Answers a request; `url` is its path below where the sandbox is mounted. */
export type SandboxListener = (request: IncomingMessage, response: ServerResponse) => void

/** Hands requests to a sandbox, which matches paths and methods itself and reads bodies as far as it wants, and sends its responses. */
export function createRequestListener(options: ListenerOptions): SandboxListener {
  const encodeTagged = createTaggedResponses()
  const encode: Encode = (result, request) =>
    result.headers.etag === undefined ? result : encodeTagged(result, result.headers.etag, request)
  return (request, response) => {
    answer(options, encode, request, response).catch((error: unknown) => {
      options.onError(error)
      response.destroy()
    })
  }
}

type Encode = (result: HttpResponse, request: IncomingMessage) => SentResponse | Promise<SentResponse>

async function answer(
  options: ListenerOptions,
  encode: Encode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const start = performance.now()
  const { method = 'GET', url: target = '/' } = request
  const line = { method, target, wait: waitOf(response) }
  const result = options.refuse(request) ?? (await handle(options, request, line))
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
  options.onResponse(requestLine(answered, broken ? '' : body))
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
function limitReceiver(response: ServerResponse, { body }: HttpResponse, ms: number): void {
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

interface SentResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  readonly body: string | Uint8Array
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }

type Encoding = keyof typeof compress

/** Of negotiator 1; its types are those of version 0.6. */
interface PreferringNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined
}

/** The encoding that a client likes best, br among equals; undefined for none. */
function encodingOf(request: Pick<IncomingMessage, 'headers'>): Encoding | undefined {
  const negotiator: PreferringNegotiator = new Negotiator(request)
  const best = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] })
  return best === 'br' || best === 'gzip' ? best : undefined
}

/** The number of compressed bodies that are kept: each document in each encoding, and their previous versions. */
const maxKept = 8

/** Returns true if a client takes the version of a body that has this ETag (RFC 9110, 13.1.1). */
function isMatch(wanted: string | undefined, etag: string): boolean {
  return wanted === undefined || wanted.trim() === '*' || wanted.split(',').some(each => each.trim() === etag)
}

const changed = writeResponse(
  wireError('precondition_failed', 'The document has another ETag than If-Match names: request it without If-Match.'),
)

/**
 * Compresses the bodies of responses with an ETag, as their requests accept it, and answers 304 if the client has the
 * body already. A body is compressed once: only what seldom changes has an ETag. A compressed one has an ETag of its own,
 * because a strong one means the same bytes.
 */
function createTaggedResponses() {
  const kept = new Map<string, Promise<Uint8Array>>()

  function compressed(tag: string, encoding: Encoding, body: string): Promise<Uint8Array> {
    const found = kept.get(tag) ?? compress[encoding](body)
    kept.delete(tag)
    kept.set(tag, found)
    for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest)
    return found
  }

  return async (
    { status, headers, body }: HttpResponse,
    etagOfBody: string,
    request: Pick<IncomingMessage, 'headers'>,
  ): Promise<SentResponse> => {
    const encoding = encodingOf(request)
    const etag = encoding ? etagOfBody.replace(/"$/, `-${encoding}"`) : etagOfBody
    const tagged = { ...headers, etag, vary: 'accept-encoding' }
    if (!isMatch(request.headers['if-match'], etag)) return changed
    if (fresh(request.headers, { etag })) {
      const { 'content-type': _type, ...others } = tagged as Record<string, string>
      return { status: 304, headers: others, body: '' }
    }
    if (!encoding) return { status, headers: tagged, body }
    const bytes = await compressed(etag, encoding, body)
    return { status, headers: { ...tagged, 'content-encoding': encoding }, body: bytes }
  }
}

/** The time that a reader may read nothing before its connection is cut, milliseconds. */
const stalledMs = 30_000

export interface EventStreams {
  /** Sends the head and all pieces of a stream, until it ends or its reader goes away; a piece once the one before is taken. */
  send(response: ServerResponse, head: Pick<HttpResponse, 'status' | 'headers'>, stream: Stream): Promise<void>
  /** Cuts the readers that take nothing at present: the sandbox is closing, and they would be waited for. */
  cut(): void
}

type Stream = NonNullable<HttpResponse['stream']>

/** Sends streams to readers over sockets. What a reader does not take stays where it comes from. */
export function createEventStreams(limits = { stalledMs }): EventStreams {
  const stalled = new Set<ServerResponse>()

  /** Waits until a reader took what was written, or its connection is closed. */
  function untilTaken(response: ServerResponse): Promise<void> {
    const timer = setTimeout(() => response.destroy(), limits.stalledMs)
    stalled.add(response)
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        stalled.delete(response)
        response.off('drain', end).off('close', end)
        resolve()
      }
      response.on('drain', end).on('close', end)
    })
  }

  return {
    async send(response, { status, headers }, stream) {
      // The connection ends with the stream: a server that closes would wait for the next request on it.
      response.writeHead(status, { ...headers, connection: 'close' }).flushHeaders()
      const pieces = stream[Symbol.asyncIterator]()
      response.once('close', () => void pieces.return?.())
      for (;;) {
        const { done, value } = await pieces.next()
        if (done || response.destroyed) break
        if (!response.write(value)) await untilTaken(response)
      }
      // Also where the reader was gone before there was a stream: nothing says so any more.
      await pieces.return?.()
      response.end()
    },
    cut() {
      for (const response of stalled) response.destroy()
    },
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
