import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bodyWanted } from './uploads.ts'

/** Responses that are whole for their receivers, or never sent at all: no request is under way with them any more. */
const settled = new WeakSet<ServerResponse>()

/** Says that nothing more of a response is sent, although it is not ended. */
export function settle(response: ServerResponse): void {
  settled.add(response)
}

/** The response to the newest request of each connection: requests may come before the ones before are answered. */
const newest = new WeakMap<Socket, ServerResponse>()

/** Returns true if a later request on the same connection waits for this response. */
export function isFollowed(response: ServerResponse): boolean {
  const last = response.socket && newest.get(response.socket)
  return last !== undefined && last !== null && last !== response
}

const errors: Record<string, { status: string; error: string; message: string }> = {
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

const jsonType = 'application/json; charset=utf-8'

const unknownExpectation = {
  error: 'expectation_failed',
  message: 'The Expect header can only be 100-continue: send the request without it.',
}

const malformed = { status: '400 Bad Request', error: 'malformed_request', message: 'Send well-formed HTTP/1.1.' }

/** What a server does with its connections besides requests. */
export interface Connections {
  /**
   * Closes each connection after it has been idle for this many milliseconds from now on, so that a client that is about
   * to send its next request still can.
   */
  drain(idleMs: number): void
}

/** A connection, and what is known of it. */
interface Connection {
  readonly responses: Set<ServerResponse>
  /** While it drains: the bytes received at the last look. */
  bytes: number
  /** While it drains: when it became idle, on `performance.now()`. */
  idleSince: number
}

/** How often connections are looked at while they drain, milliseconds. */
const drainCheckMs = 25

/**
 * Tracks the requests in flight on each connection of a server. Answers a request that is malformed, has too large
 * headers, is too slow or has an unknown `Expect`, in the shape of 2.13, and closes its connection. Lets a sender that
 * waits for `100 Continue` send its body once that is wanted.
 */
export function watchConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>()
  server.on('connection', socket => {
    connections.set(socket, { responses: new Set(), bytes: -1, idleSince: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    newest.set(socket, response)
    const responses = connections.get(socket)?.responses
    responses?.add(response)
    response.once('close', () => responses?.delete(response))
  })
  server.on('checkContinue', (request, response) => {
    request.once(bodyWanted, () => response.writeContinue())
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify(unknownExpectation)
    const headers = { 'content-type': jsonType, 'content-length': Buffer.byteLength(body), connection: 'close' }
    response.writeHead(417, headers).end(body)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const hasBegun = [...(connections.get(socket as Socket)?.responses ?? [])].some(({ headersSent }) => headersSent)
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy()
    const { status, ...content } = errors[error.code ?? ''] ?? malformed
    const body = JSON.stringify(content)
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: ${jsonType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  })
  return {
    drain(idleMs) {
      const look = () => {
        const now = performance.now()
        for (const [socket, connection] of connections) {
          const isIdle = [...connection.responses].every(response => settled.has(response))
          if (!isIdle || socket.bytesRead !== connection.bytes)
            Object.assign(connection, { bytes: socket.bytesRead, idleSince: now })
          if (isIdle && now - connection.idleSince >= idleMs) socket.destroy()
        }
        if (connections.size > 0) setTimeout(look, drainCheckMs).unref()
      }
      look()
    },
  }
}
