import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** The bytes of a raw exchange, sent chunk by chunk. */
export interface RawExchange {
  readonly chunks: readonly (string | Uint8Array)[]
  /** The sender closes its half after the last chunk. */
  readonly end?: boolean
  /** The sender cuts the connection after the last chunk. */
  readonly cut?: boolean
  /** The text to wait for. Default: the end of the connection. */
  readonly until?: RegExp
}

/**
 * Writes raw bytes to a server and returns all it sent back: up to `until`, to the end of the connection,
 * or to a reset of it. Rejects where neither comes within half a minute: then the server hangs.
 */
export function exchangeRaw(url: string, { chunks, end, cut, until }: RawExchange): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server neither responded nor closed the connection. Received so far: ${text}`))
    }, 30_000)
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(text)
    }
    socket.on('data', data => {
      text += data.toString('latin1')
      if (until?.test(text)) done()
    })
    socket.on('end', done)
    socket.on('close', done)
    socket.on('error', () => undefined)
    socket.on('connect', () => {
      for (const chunk of chunks) socket.write(chunk)
      if (end) socket.end()
      if (cut) setImmediate(done)
    })
  })
}

/** Ports below the ephemeral range, so that no other test's connection takes one. */
const portRange = { first: 20_000, count: 10_000 }
/** This process's next port. Processes start at different offsets. */
let nextPort = process.pid * 131

/** Returns a free port of this machine, never the same one twice. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portRange.count; tries++) {
    const port = portRange.first + (nextPort++ % portRange.count)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error('No port from 20,000 to 30,000 is free.')
}
