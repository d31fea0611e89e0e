import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What a connection emits when the reply to its request is never sent: nothing is under way on it any more. */
export const withheld = 'withheld'

/**
 * Knows the connections of a server that have no request under way, those that never sent one among them: Node
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
