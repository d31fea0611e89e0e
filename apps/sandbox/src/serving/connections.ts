import { once } from 'node:events'
import type { Server } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { bodyWanted } from './limits.ts'
import { isSettled } from './request-listener.ts'
import { answerUnread, responsesOf } from './unread-requests.ts'

/** The time that connections get once their server closes, milliseconds. */
interface Graces {
  /** For responses in flight. */
  readonly closeGraceMs: number
  /** For idle connections: a request that its client is about to send still gets its response. */
  readonly idleGraceMs: number
}

/** The connections of a server. */
export interface Connections {
  /** Closes each connection after it has been idle for this many milliseconds from now on. */
  drain(idleMs: number): void
}

/** A connection, and what is known of it. */
interface Connection {
  /** While it drains: the bytes received at the last look. */
  bytes: number
  /** While it drains: how long it has been idle, milliseconds in which this process ran. */
  idleMs: number
}

/** The interval of checking connections while they drain, milliseconds. */
const drainCheckMs = 25

/**
 * Tracks the requests in flight on each connection of a server, and answers those that never reach a handler. Lets a
 * sender that waits for `100 Continue` send its body once that is wanted.
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
        // After this process was held up, requests wait unread: that time counts as one interval.
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

/** Ends the connections of a server that takes no more of them, each once nothing is under way on it. */
export async function drainServer(
  server: Server,
  connections: Connections,
  { closeGraceMs, idleGraceMs }: Graces,
): Promise<void> {
  await acceptWaiting(server, idleGraceMs)
  const closed = once(server, 'close')
  // Not `server.close()` of HTTP: that closes idle connections at once, and with them the requests on their way.
  TcpServer.prototype.close.call(server)
  connections.drain(idleGraceMs)
  const force = setTimeout(() => server.closeAllConnections(), closeGraceMs)
  await closed
  clearTimeout(force)
  // Its connections are closed. This ends the timer that checks them, which would hold the server, and so the sandbox.
  server.close()
}

/**
 * Takes the connections that clients have opened already and that wait in the system: to close the port would reset them,
 * and with them the requests that are on their way. Ends once none waits, or after so many milliseconds.
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
    // The next turn of the event loop takes what waits; the one after it is behind all of that.
    await setImmediate()
    await setImmediate()
  }
  server.off('connection', count)
}
