import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A real socket on this machine that records everything it receives. */
export interface Listener extends AsyncDisposable {
  readonly port: number
  /** The bytes that each connection received; empty if there were none. */
  readonly heard: string[]
}

/** An HTTP response with this status and an empty body. */
export const ok = (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

/** Listens on 127.0.0.1; `answer` is called for each complete request. */
export async function openListener(answer: (socket: Socket) => void = ok): Promise<Listener> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const index = heard.push('') - 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', data => {
      heard[index] += data.toString('latin1')
      const [head, body] = heard[index]?.split('\r\n\r\n', 2) ?? []
      const length = Number(/^content-length: (\d+)$/im.exec(head ?? '')?.[1] ?? 0)
      if (body !== undefined && body.length >= length) answer(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Records every address that this process connects to, as reported by Node itself. */
export function watchDialedAddresses(): Disposable & { readonly addresses: string[] } {
  const addresses: string[] = []
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', address => addresses.push(address))
  }
  const sockets = channel('net.client.socket')
  sockets.subscribe(watch)
  return { addresses, [Symbol.dispose]: () => void sockets.unsubscribe(watch) }
}
