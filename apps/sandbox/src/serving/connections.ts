import { once } from 'node:events'
import type { Server } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { bodyWanted } from './limits.ts'
import { isSettled } from './request-listener.ts'
import { answerUnread, responsesOf } from './unread-requests.ts'

/** The grace periods of connections during shutdown, milliseconds. */
interface Graces {
  /** For responses in flight. */
  readonly closeGraceMs: number
  /** For idle connections, in case a client is about to send a request. */
  readonly idleGraceMs: number
}

/** The connections of a server. */
export interface Connections {
  /** From now on, closes each connection after it has been idle for this long, milliseconds. */
  drain(idleMs: number): void
}

/** A connection and its state. */
interface Connection {
  /** During shutdown: the bytes received at the previous check. */
  bytes: number
  /** During shutdown: the idle time, milliseconds; time in which this process was blocked does not count. */
  idleMs: number
}

/** The interval of checking connections during shutdown, milliseconds. */
const drainCheckMs = 25

/**
 * Tracks the requests in flight on each connection of a server, and responds to those that never reach a handler. Lets
 * clients that wait for `100 Continue` send their body when it is wanted.
 */
export function watchConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>()
  server.on('connection', socket => {
    connections.set(socket, { bytes: -1, idleMs: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  answerUnread(server)
  server.on('checkContinue', (request, response) => {
    request.once(bodyWanted, () => response.writeContinue())
    server.emit('request', request, response)
  })
  return {
    drain(idleMs) {
      let last = performance.now()
      const look = () => {
        const now = performance.now()
        // After this process was blocked, unread requests are waiting: that time counts as one interval.
        const passed = Math.min(now - last, 2 * drainCheckMs)
        last = now
        for (const [socket, connection] of connections) {
          const isIdle = [...responsesOf(socket)].every(isSettled)
          const isUsed = !isIdle || socket.bytesRead !== connection.bytes
          connection.idleMs = isUsed ? 0 : connection.idleMs + passed
          connection.bytes = socket.bytesRead
          if (isIdle && connection.idleMs >= idleMs) socket.destroy()
        }
        if (connections.size > 0) setTimeout(look, drainCheckMs).unref()
      }
      look()
    },
  }
}

/** Closes the connections of a server that is shutting down, each once it has no request in flight. */
export async function drainServer(
  server: Server,
  connections: Connections,
  { closeGraceMs, idleGraceMs }: Graces,
): Promise<void> {
  await acceptWaiting(server, idleGraceMs)
  const closed = once(server, 'close')
  // Not HTTP's `server.close()`, which closes idle connections immediately and loses requests that are on their way.
  TcpServer.prototype.close.call(server)
  connections.drain(idleGraceMs)
  const force = setTimeout(() => server.closeAllConnections(), closeGraceMs)
  await closed
  clearTimeout(force)
  // Stops the timer that checks the closed connections, which would keep the server and the sandbox in memory.
  server.close()
}

/**
 * Accepts the connections that clients have opened but that still wait in the system's backlog; closing the port would
 * reset them and lose their requests. Ends when the backlog is empty, or after this long, milliseconds.
 */
async function acceptWaiting(server: Server, ms: number): Promise<void> {
  const end = performance.now() + ms
  let accepted = 0
  const count = () => {
    accepted += 1
  }
  server.on('connection', count)
  for (let before = -1; before !== accepted && performance.now() < end; ) {
    before = accepted
    // The next turn of the event loop accepts the backlog; the turn after it comes later than all of them.
    await setImmediate()
    await setImmediate()
  }
  server.off('connection', count)
}
