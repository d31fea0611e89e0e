import { gzipSync } from 'node:zlib'
import type { Step } from './wire-server.fixture.ts'

/** The head of a response. */
export function head(status: number, headers: Readonly<Record<string, string>>, statusText = 'Whatever'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${statusText}\r\n${lines.join('')}\r\n`
}

/** Writes these bytes, and nothing more. */
export const writes =
  (...bytes: (string | Uint8Array)[]): Step =>
  socket => {
    for (const some of bytes) socket.write(some)
  }

/** Writes these bytes, and closes the connection. */
export const writesAndHangsUp =
  (...bytes: (string | Uint8Array)[]): Step =>
  socket => {
    for (const some of bytes) socket.write(some)
    socket.end()
  }

/** Responds with JSON or raw text. */
export function replies(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Step {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const length: Record<string, string> = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) }
  return writes(head(status, { 'content-type': 'application/json', ...length, ...headers }), text)
}

/** Resets the connection. */
export const resets: Step = socket => socket.resetAndDestroy()

/** Closes the connection without a response. */
export const hangsUp: Step = socket => socket.end()

/** Never responds. */
export const stalls: Step = () => undefined

const json = { 'content-type': 'application/json' }
const half = '{"lead_id":"'

/** Announces more than it writes. */
export const cutsBody = writesAndHangsUp(head(200, { ...json, 'content-length': '400' }), half)

/** Writes a chunk, but never the last one. */
export const cutsChunks = writesAndHangsUp(
  head(200, { ...json, 'transfer-encoding': 'chunked' }),
  `${half.length.toString(16)}\r\n${half}\r\n`,
)

const packed = gzipSync(JSON.stringify({ lead_id: 'l', status: 'new', filler: 'x'.repeat(400) }))

/** Writes half of a compressed body without announcing its length. */
export const cutsGzip = writesAndHangsUp(head(200, { ...json, 'content-encoding': 'gzip' }), packed.subarray(0, 20))

/** Writes the headers and half a body, then nothing. */
export const stallsBody = writes(head(200, { ...json, 'content-length': '400' }), half)

/** Writes the headers and a chunk, then nothing. */
export const stallsChunks = writes(head(200, { ...json, 'transfer-encoding': 'chunked' }), `c\r\n${half}\r\n`)

const tenMebibytes = 10 * 1024 * 1024

/** A complete response of ten MiB with its length. */
export const repliesHugely = replies(200, { filler: 'x'.repeat(tenMebibytes) })

/** A complete response of ten MiB without its length. */
export const repliesHugelyUnannounced = writesAndHangsUp(
  head(200, json),
  JSON.stringify({ filler: 'x'.repeat(tenMebibytes) }),
)

const bomb = gzipSync(JSON.stringify({ filler: 'x'.repeat(tenMebibytes) }))

/** A few compressed KiB that decompress to ten MiB. */
export const repliesWithBomb = writes(
  head(200, { ...json, 'content-encoding': 'gzip', 'content-length': String(bomb.length) }),
  bomb,
)
