import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyReader, type HttpRequest, type HttpResponse, jsonResponse, type Wait } from '@lead-distribution/http'
import { type RequestLine, requestLine } from '../log.ts'
import { isFollowed, settle } from './connections.ts'
import type { EventStreams } from './event-streams.ts'
import { createTaggedResponses, type SentResponse } from './tagged-response.ts'
import { bodyWanted, discard, discardBytes, type Uploads } from './uploads.ts'

/** What a listener needs of the sandbox behind it. */
export interface ListenerOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** Reads the bodies. */
  readonly uploads: Uploads
  /** Sends the responses that go on. */
  readonly streams: EventStreams
  /** Called for each request that was handed over. */
  readonly onResponse?: (line: RequestLine) => void
  /** Called for each error of the listener itself. */
  readonly onError: (error: unknown) => void
  /** Whether connections are to be closed after their response. */
  readonly isClosing: () => boolean
  /** How long a receiver may take for a response, milliseconds. */
  readonly responseMs: number
}

/** Answers a request; `url` is its path below where the sandbox is mounted. */
export type SandboxListener = (request: IncomingMessage, response: ServerResponse) => void

/** Hands requests to a sandbox, which matches paths and methods itself and reads bodies as far as it wants, and sends its responses. */
export function createRequestListener(options: ListenerOptions): SandboxListener {
  const encodeTagged = createTaggedResponses()
  const encode: Encode = (result, request) => (hasTag(result) ? encodeTagged(result, request) : result)
  return (request, response) => {
    answer(options, encode, request, response).catch((error: unknown) => {
      options.onError(error)
      response.destroy()
    })
  }
}

/** A response as its request wants it sent. */
type Encode = (result: HttpResponse, request: IncomingMessage) => SentResponse | Promise<SentResponse>

type Tagged = HttpResponse & { readonly headers: { readonly etag: string } }

const hasTag = (result: HttpResponse): result is Tagged => result.headers.etag !== undefined

async function answer(
  options: ListenerOptions,
  encode: Encode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const start = performance.now()
  const { method = 'GET', url: target = '/' } = request
  const line = { method, target, wait: waitOf(response) }
  const result = refuseHost(request) ?? (await handle(options, request, line))
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

/**
 * The refusal of a request that does not name its host once (RFC 9112, 3.2). Of several Node takes the first, a proxy in
 * front of it maybe another. HTTP/1.0 has none.
 */
export function refuseHost({ rawHeaders, httpVersion }: IncomingMessage): HttpResponse | undefined {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0') ? undefined : wrongHost
}

const wrongHost = jsonResponse(400, { error: 'malformed_request', message: 'Send one Host header.' })

const consumedMessage =
  'A body parser read this request before the sandbox, which needs the bytes: mount createSandboxRouter() before express.json() and the like.'

function consumed(onError: ListenerOptions['onError']): BodyReader {
  return async () => {
    onError(new Error(consumedMessage))
    return { status: 500, body: { error: 'internal_error', message: consumedMessage } }
  }
}
