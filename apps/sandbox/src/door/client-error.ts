import type { Duplex } from 'node:stream'

const replies: Record<string, { status: string; error: string; message: string }> = {
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
export function answerClientError(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, error, message } = replies[fault.code ?? ''] ?? malformed
  const body = JSON.stringify({ error, message })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
