import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** What a raw exchange writes: a chunk after the other, each as soon as the one before is handed over. */
export interface RawExchange {
  readonly chunks: readonly (string | Uint8Array)[]
  /** Whether the sender closes its half behind the last chunk. */
  readonly end?: boolean
  /** Whether the sender cuts the connection behind the last chunk. */
  readonly cut?: boolean
  /** How much to wait for, by its text; without it, for the end of the connection. */
  readonly until?: RegExp
}

/**
 * Writes raw bytes to a server, and answers all that came back: up to `until`, to the end of the connection,
 * or to a reset of it. Rejects where neither comes within half a minute: then the server hangs.
 */
export function exchangeRaw(url: string, { chunks, end, cut, until }: RawExchange): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server neither answered nor closed the connection. So far came: ${text}`))
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

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
