import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What a connection emits when the response to its request is never sent: no request is under way on it any more. */
export const withheld = 'withheld'

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
