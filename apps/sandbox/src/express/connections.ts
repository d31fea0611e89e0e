import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bodyWanted } from './uploads.ts'

/** Responses that are whole for their receivers, or never sent at all: no request is under way with them any more. */
const settled = new WeakSet<ServerResponse>()

/** Says that nothing more of a response is sent, although it is not ended. */
export function settle(response: ServerResponse): void {
  settled.add(response)
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

const malformed = { status: '400 Bad Request', error: 'malformed_request', message: 'Send well-formed HTTP/1.1.' }

/** What a server does with its connections besides requests. */
export interface Connections {
  /**
   * Closes those without a request under way, those that never sent one among them: Node closes only the ones that had
   * a request before.
   */
  closeIdle(): void
}

/**
 * Knows which connections of a server have a request under way. Answers what is no HTTP request, too large in its
 * headers or too slow, in the shape of 2.13, and closes its connection. Lets a sender that waits for `100 Continue` send
 * its body once that is wanted.
 */
export function watchConnections(server: Server): Connections {
  const underWay = new Map<Socket, Set<ServerResponse>>()
  server.on('connection', socket => {
    underWay.set(socket, new Set())
    socket.once('close', () => underWay.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const responses = underWay.get(socket)
    responses?.add(response)
    response.once('close', () => responses?.delete(response))
  })
  server.on('checkContinue', (request, response) => {
    request.once(bodyWanted, () => response.writeContinue())
    server.emit('request', request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const hasBegun = [...(underWay.get(socket as Socket) ?? [])].some(({ headersSent }) => headersSent)
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy()
    const { status, ...content } = errors[error.code ?? ''] ?? malformed
    const body = JSON.stringify(content)
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  })
  return {
    closeIdle() {
      for (const [socket, responses] of underWay)
        if ([...responses].every(response => settled.has(response))) socket.destroy()
    },
  }
}
