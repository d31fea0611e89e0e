import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { wireError } from '@lead-distribution/contract'
import { type HttpResponse, writeResponse } from '@lead-distribution/http'

/** Importing `node:http` is slow: see `server.ts`. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The unfinished responses of each connection; pipelined requests may arrive before earlier responses are sent. */
const unfinished = new WeakMap<Socket, Set<ServerResponse>>()

/** Records a request. Its connection is closed only after the response to the latest one. */
function noteRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  const responses = responsesOf(socket)
  if (responses.has(response)) return
  unfinished.set(socket, responses.add(response))
  response.once('close', () => responses.delete(response))
}

/** Returns a connection's unfinished responses in the order of their requests. */
export function responsesOf(socket: Socket): Set<ServerResponse> {
  return unfinished.get(socket) ?? new Set()
}

const notWhole = (issue: string) => [{ field: 'request', issue }]

const malformed = wireError(
  'malformed_request',
  'Send well-formed HTTP/1.1.',
  notWhole('is not a well-formed HTTP message'),
)

const unknownVersion = wireError('http_version_not_supported', 'Send the request in HTTP/1.1, or in HTTP/1.0.')

const unknownCoding = wireError(
  'not_implemented',
  'Send the body with the transfer coding chunked, or with a content-length: no other transfer coding is understood.',
)

const errors: Readonly<Record<string, ReturnType<typeof wireError>>> = {
  HPE_HEADER_OVERFLOW: wireError('headers_too_large', 'Send at most 16 KiB of headers.'),
  ERR_HTTP_REQUEST_TIMEOUT: wireError('request_timeout', 'The request took too long to arrive. Send it faster.'),
  HPE_PAUSED_H2_UPGRADE: unknownVersion,
}

/** Parser errors whose code is ambiguous, by their reason. */
const reasons: Readonly<Record<string, ReturnType<typeof wireError>>> = {
  'Invalid HTTP version': unknownVersion,
  'Request has invalid `Transfer-Encoding`': unknownCoding,
}

const unknownExpectation = wireError(
  'expectation_failed',
  'The Expect header can only be 100-continue: send the request without it.',
)

interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string
}

/**
 * Responds to requests that never reach a handler, in the shape of 2.13, and closes their connections: those that are
 * malformed, have too large headers, are too slow or have an unknown `Expect`.
 */
export function answerUnread(server: Server): void {
  server.on('request', noteRequest)
  server.on('checkExpectation', (_request, response) => {
    const { status, headers, body } = writeResponse(unknownExpectation)
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body)
  })
  server.on('clientError', (error: ParserError, socket) => {
    const hasBegun = [...responsesOf(socket as Socket)].some(({ headersSent }) => headersSent)
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy()
    const { status, headers, body } = writeResponse(
      reasons[error.reason ?? ''] ?? errors[error.code ?? ''] ?? malformed,
    )
    const all = {
      date: new Date().toUTCString(),
      ...headers,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  })
}

/** Responds to unread requests on the server of an application with a mounted sandbox, unless something else does. */
export function answerUnreadOf({ socket }: IncomingMessage, response: ServerResponse): void {
  // Set by `node:net`, but missing in its types.
  const { server } = socket as Socket & { readonly server?: Server }
  if (!server?.listenerCount || server.listenerCount('clientError') > 0) return
  answerUnread(server)
  noteRequest(response.req, response)
}

/**
 * Converts a request for an absolute URL into one for its path, if `isOwn` returns true for it (RFC 9112, 3.2.2). The
 * URL's host takes precedence over the `Host` header, which is required all the same.
 */
export function useOriginForm(request: IncomingMessage, isOwn: (path: string) => boolean = () => true): void {
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? []
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (host === undefined || !isOwn(path)) return
  request.url = path
  if (request.headers.host !== undefined) request.headers.host = host
}

/** Returns the error response for a request whose version, host or body coding is not supported. */
export function refuseHead(request: IncomingMessage): HttpResponse | undefined {
  const { httpVersion, headers } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return writeResponse(unknownVersion)
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return writeResponse(unknownCoding)
  return refuseHost(request)
}

/**
 * Refuses a request without exactly one host (RFC 9112, 3.2): of several, Node uses the first, but a proxy in front of
 * it may use another. HTTP/1.0 has none.
 */
function refuseHost({ rawHeaders, httpVersion, headers }: IncomingMessage): HttpResponse | undefined {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 0 && httpVersion === '1.0') return undefined
  if (hosts !== 1) return wrongHosts
  return isHost(headers.host ?? '') ? undefined : wrongHost
}

/** Returns true for a valid host of an http URL, with or without a port. */
const isHost = (host: string) => /^[\w.~!$&'()*+,;=:%[\]-]+$/.test(host) && URL.canParse(`http://${host}`)

const wrongHosts = refusedHost('Send exactly one Host header.', 'must be sent exactly once')
const wrongHost = refusedHost(
  'Send the host of the URL in the Host header, with its port, such as 127.0.0.1:4010.',
  'must be a host, with a port or without',
)

function refusedHost(message: string, issue: string): HttpResponse {
  return writeResponse(wireError('malformed_request', message, [{ field: 'host', issue }]))
}
