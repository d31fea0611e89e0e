import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { wireError } from '@lead-distribution/contract'
import { type HttpResponse, writeResponse } from '@lead-distribution/http'

/** See `server.ts`: an `import` of `node:http` is slow. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The responses of each connection that are not whole: requests may come before earlier ones are answered. */
const unfinished = new WeakMap<Socket, Set<ServerResponse>>()

/** Notes that a request came; its connection is closed only after the response to the newest one. */
function noteRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  const responses = responsesOf(socket)
  if (responses.has(response)) return
  unfinished.set(socket, responses.add(response))
  response.once('close', () => responses.delete(response))
}

/** Returns the responses of a connection that are not whole, in the order of their requests. */
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

/** The errors of the parser whose code alone does not say what is wrong, by their reason. */
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
 * Answers requests that never reach a handler, in the shape of 2.13, and closes their connections: those that are
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

/** Answers unread requests of the server that an application with a mounted sandbox runs on, if nothing else does. */
export function answerUnreadOf({ socket }: IncomingMessage, response: ServerResponse): void {
  // Set by `node:net`, and older than its types.
  const { server } = socket as Socket & { readonly server?: Server }
  if (!server?.listenerCount || server.listenerCount('clientError') > 0) return
  answerUnread(server)
  noteRequest(response.req, response)
}

/**
 * Changes a request for a whole URL into one for its path, if `isOwn` returns true for that (RFC 9112, 3.2.2). The host of
 * the URL counts instead of the `Host` header, which must be there all the same.
 */
export function useOriginForm(request: IncomingMessage, isOwn: (path: string) => boolean = () => true): void {
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? []
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (host === undefined || !isOwn(path)) return
  request.url = path
  if (request.headers.host !== undefined) request.headers.host = host
}

/**
 * Returns the refusal of a request whose head is not one that is understood: its version, its host, or the coding of its
 * body.
 */
export function refuseHead(request: IncomingMessage): HttpResponse | undefined {
  const { httpVersion, headers } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return writeResponse(unknownVersion)
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return writeResponse(unknownCoding)
  return refuseHost(request)
}

/**
 * The refusal of a request that does not name its host once (RFC 9112, 3.2). Of several Node takes the first, a proxy in
 * front of it maybe another. HTTP/1.0 has none.
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

/** Returns true for a host, with a port or without, of an http URL. */
const isHost = (host: string) => /^[\w.~!$&'()*+,;=:%[\]-]+$/.test(host) && URL.canParse(`http://${host}`)

const wrongHosts = refusedHost('Send exactly one Host header.', 'must be sent exactly once')
const wrongHost = refusedHost(
  'Send the host of the URL in the Host header, with its port, such as 127.0.0.1:4010.',
  'must be a host, with a port or without',
)

function refusedHost(message: string, issue: string): HttpResponse {
  return writeResponse(wireError('malformed_request', message, [{ field: 'host', issue }]))
}
