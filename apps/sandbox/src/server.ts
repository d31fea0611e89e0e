import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { isLoopback } from '@lead-distribution/simulator'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import type { Request, Response } from 'express'
import { bodyWanted } from './express/limits.ts'
import { type Account, accountOf, type MountOptions, mountSandbox, routeSandbox } from './express/mount.ts'
import { llmsPath } from './express/pages.ts'
import { isSettled } from './express/request-listener.ts'
import { answerUnread, responsesOf, useOriginForm } from './express/unread-requests.ts'
import { createLog } from './log.ts'
import { checkReach, RefusedStart } from './open-sandbox.ts'

/**
 * An `import` of `node:http` would read each of its exports, and so load `fetch` and `WebSocket`, which takes 50 ms and
 * 13 MB and which a server does not use.
 */
const { createServer } = process.getBuiltinModule('node:http')

/** Options of a sandbox server. */
export interface ServerOptions extends Omit<MountOptions, 'url'> {
  /** The address to listen on. Default `127.0.0.1`; any other needs `adminToken`, or `local`. */
  readonly host?: string | undefined
  /**
   * Declares that only this machine can reach the port, whatever `host` is: in a container, where the port is published on
   * 127.0.0.1. No token is needed then, and requests whose `Host` is not this machine are refused. Default false.
   */
  readonly local?: boolean | undefined
  /** The port to listen on; 0 takes a free one. Default 4010. */
  readonly port?: number | undefined
  /**
   * The URL at which others reach this server, where it is not what it listens on; needs `adminToken`, except on this machine.
   * With a path, such as `https://qa.example/leads`, it takes requests with that path and without it.
   */
  readonly publicUrl?: string | undefined
  /**
   * Lets tenants keep calls as they were sent (`journal_bodies` `full`), so that the console can send them again. New tenants
   * do. Has no effect with an admin token, or if others reach the sandbox. Default: false, except for `lead-sandbox start`.
   */
  readonly keepsFullCalls?: boolean | undefined
  /** Timeout of receiving a whole request, milliseconds. Default 30000. */
  readonly requestTimeoutMs?: number | undefined
  /** Timeout of responses in flight once the server is closing, milliseconds. Default 10000. */
  readonly closeGraceMs?: number | undefined
  /**
   * Time that an idle connection stays open once the server is closing, milliseconds: a request that its client is about to
   * send is still answered. Default 0: a program that closes its own server sends nothing more.
   */
  readonly idleGraceMs?: number | undefined
}

/** A running sandbox server. */
export interface SandboxServer {
  /** Its URL, such as `http://127.0.0.1:4010`. */
  readonly url: string
  /**
   * The account of a tenant, the demo tenant's by default.
   * @throws Error there is no tenant of this name, or it is broken.
   */
  account(tenant?: string): Account
  /**
   * Takes no more connections, answers the requests that were read or come within `idleGraceMs` over connections that are
   * open, and writes everything down.
   */
  close(): Promise<void>
}

/**
 * Starts a sandbox server.
 * @throws RefusedStart the options are not safe or not possible, the port is taken, or a tenant of the configuration is
 *   refused.
 * @throws Error the data cannot be opened, such as a file in use by another sandbox, or `publicUrl` is no http or https
 *   URL, or has a query or fragment.
 * @example
 * ```ts
 * import { startServer } from '@lead-distribution/sandbox'
 *
 * const server = await startServer({ port: 0, data: 'sandbox.db' })
 * const { base_url, publisher } = server.account()
 * report({ base_url, publisher_id: publisher.publisher_id })
 * await server.close()
 * ```
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  const { host = '127.0.0.1', port = 4010, requestTimeoutMs: requestTimeout = 30_000 } = options
  const { publicUrl, adminToken, local = false, keepsFullCalls = false } = options
  if (local && adminToken) throw new RefusedStart(localAndToken)
  if (!local) checkReach(host, adminToken, `on ${host}: start with --admin-token TOKEN, or on 127.0.0.1.`)
  // Whatever takes requests for that URL hands them over from this machine, under any `Host`.
  if (publicUrl !== undefined)
    checkReach(
      new URL(publicUrl).hostname,
      adminToken,
      `at ${publicUrl}: start with --admin-token TOKEN, or without --public-url.`,
    )
  const mountPath = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')
  const warning = warningOf(options)
  if (warning !== undefined) createLog(options.logLevel ?? 'info').warn(warning)
  // The port is taken first: the sandbox's own URLs hold it. Requests that come before it is open wait for it.
  const listening = Promise.withResolvers<string>()
  const isShared = isReachedByOthers(options)
  const ownPort = () => (server.address() as AddressInfo).port
  const mount = mountSandbox(
    { ...options, url: listening.promise },
    { isShared, isLocal: local, keepsFullCalls, port: ownPort },
  )
  const route = routeSandbox(mount)
  const limits = {
    requestTimeout,
    // Without one it is refused here, in JSON.
    requireHostHeader: false,
    headersTimeout: Math.min(requestTimeout, 15_000),
    // Longer than balancers keep idle connections: whoever sends requests closes first, so none is lost to a close.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  }
  // No application of Express: that would give each request and response another prototype, which nothing here uses.
  // Unknown paths, and what Express cannot route, such as the target `http://[`, the sandbox answers too.
  const server = createServer(limits, (request, response) => {
    useOriginForm(request)
    // A proxy passes the path of its URL on, or removes it.
    if (mountPath !== '' && `${request.url}/`.startsWith(`${mountPath}/`))
      request.url = request.url?.slice(mountPath.length) || '/'
    if (request.url === '/llms.txt') request.url = llmsPath
    route(request as Request, response as Response, () => {
      if (mount.refuse(request) || !wantsConsole(request)) return mount.listener(request, response)
      response.writeHead(302, { location: `${mountPath}${sandboxPath}/`, 'content-length': 0 }).end()
    })
  })
  const connections = watchConnections(server)
  await listen(server, host, port)
  listening.resolve(publicUrl ?? urlOf(host, ownPort()))
  const opened = await mount.opened().catch((error: unknown) => {
    server.close()
    server.closeAllConnections()
    throw error
  })

  return {
    url: opened.url,
    account: tenant => accountOf(opened, tenant),
    async close() {
      await mount.quiesce()
      await drain(server, connections, options)
      await mount.close()
    },
  }
}

/** Ends the connections of a server that takes no more of them, each once nothing is under way on it. */
async function drain(
  server: Server,
  connections: Connections,
  { closeGraceMs = 10_000, idleGraceMs = 0 }: ServerOptions,
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

/** Returns true if other machines reach a server. */
export function isReachedByOthers({ host = '127.0.0.1', publicUrl, local = false }: ServerOptions): boolean {
  return (!local && !isLoopback(host)) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
}

/** Returns true if a browser opens the address of the server itself, which shows the console. */
function wantsConsole({ method, url, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    (url === '/' || url === sandboxPath) &&
    headers.accept?.includes('text/html') === true
  )
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new RefusedStart(
        `Port ${port} is in use, perhaps by another sandbox. Stop that process, or choose another --port.`,
      )
    throw new RefusedStart(`Could not listen on ${host}:${port} (${code}): choose another --port or --host.`)
  }
}

/** Returns true if a host means every address of this machine, and so names none that others could use. */
const isWildcard = (host: string) => host === '0.0.0.0' || host === '::'

function warningOf({ host = '127.0.0.1', publicUrl, local }: ServerOptions): string | undefined {
  if (local) return isLoopback(host) ? undefined : openPort
  return publicUrl === undefined && isWildcard(host) ? deadLinks : undefined
}

const localAndToken =
  '--local needs no admin token and takes none: remove --local to require the token, or remove --admin-token (LEAD_SANDBOX_ADMIN_TOKEN).'

const openPort =
  'Any program that reaches this port controls the sandbox, because --local says that only this machine does. Publish the port of a container on 127.0.0.1 alone: docker run -p 127.0.0.1:4010:4010.'

const deadLinks =
  'Links in responses begin with 127.0.0.1, which other machines cannot reach. Start with --public-url, such as --public-url http://sandbox.example:4010.'

/** The address of a server that listens there, as it prints itself. */
function urlOf(host: string, port: number): string {
  const name = isWildcard(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
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
