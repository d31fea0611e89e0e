import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, Server as TcpServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { isLoopback } from '@lead-distribution/simulator'
import { sandboxPath } from '@lead-distribution/simulator/paths'
import type { Request, Response } from 'express'
import { type Connections, watchConnections } from './express/connections.ts'
import { type Account, accountOf, type MountOptions, mountSandbox } from './express/mount.ts'
import { routeSandbox } from './express/sandbox-router.ts'
import { createLog } from './log.ts'
import { checkReach, RefusedStart } from './open-sandbox.ts'

/** How a sandbox server is started. */
export interface ServerOptions extends Omit<MountOptions, 'url'> {
  /** The address to listen on. Default `127.0.0.1`; any other needs `adminToken`. */
  readonly host?: string | undefined
  /** The port to listen on; 0 takes a free one. Default 4010. */
  readonly port?: number | undefined
  /** Scheme, host and port at which others reach this server, where it is not what it listens on; needs `adminToken`, except on this machine. */
  readonly publicUrl?: string | undefined
  /** How long the sender of a request may take until it is whole, milliseconds. Default 30000. */
  readonly requestTimeoutMs?: number | undefined
  /** How long a response under way may take once the server is closing, milliseconds. Default 10000. */
  readonly closeGraceMs?: number | undefined
  /**
   * How long an idle connection stays open once the server is closing, so that a request that its client is about to send is
   * still answered, milliseconds. Default 0: a program that closes its own server sends nothing more.
   */
  readonly idleGraceMs?: number | undefined
}

/** A running sandbox server. */
export interface SandboxServer {
  /** Where it is reached, such as `http://127.0.0.1:4010`. */
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
 * @throws Error the data cannot be opened, such as a file in use by another sandbox, or `publicUrl` has more than a scheme,
 *   a host and a port.
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
  const { publicUrl, adminToken } = options
  checkReach(host, adminToken, `on ${host}: start with --admin-token TOKEN, or on 127.0.0.1.`)
  // Whatever takes requests for that URL hands them over from this machine, under any `Host`.
  if (publicUrl !== undefined)
    checkReach(
      new URL(publicUrl).hostname,
      adminToken,
      `at ${publicUrl}: start with --admin-token TOKEN, or without --public-url.`,
    )
  if (publicUrl === undefined && isWildcard(host)) createLog(options.logLevel ?? 'info').warn(deadLinks)
  // The port is taken first: the sandbox's own URLs hold it. Requests that come before it is open wait for it.
  const listening = Promise.withResolvers<string>()
  const isShared = isReachedByOthers(options)
  const ownPort = () => (server.address() as AddressInfo).port
  const mount = mountSandbox({ ...options, url: listening.promise }, { isShared, port: ownPort })
  const route = routeSandbox(mount)
  const limits = {
    requestTimeout,
    // Without one it is refused here, in JSON.
    requireHostHeader: false,
    headersTimeout: Math.min(requestTimeout, 15_000),
    connectionsCheckingInterval: 1_000,
  }
  // No application of Express: that would give each request and response another prototype, which nothing here uses.
  // Unknown paths, and what Express cannot route, such as the target `http://[`, the sandbox answers too.
  const server = createServer(limits, (request, response) =>
    route(request as Request, response as Response, () => {
      if (!wantsConsole(request)) return mount.listener(request, response)
      response.writeHead(302, { location: `${sandboxPath}/`, 'content-length': 0 }).end()
    }),
  )
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
export function isReachedByOthers({ host = '127.0.0.1', publicUrl }: ServerOptions): boolean {
  return !isLoopback(host) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
}

/** Whether a browser asks for the address of the server itself, which it is shown the console for. */
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
        `Port ${port} is taken, perhaps by a sandbox that runs already: stop what listens there, or choose another --port.`,
      )
    throw new RefusedStart(`Could not listen on ${host}:${port} (${code}): choose another --port or --host.`)
  }
}

/** Whether a host means every address of this machine, and so names none that others could use. */
const isWildcard = (host: string) => host === '0.0.0.0' || host === '::'

const deadLinks =
  'The links in replies begin with 127.0.0.1, which leads nowhere on the machines of others: start with --public-url, such as --public-url http://sandbox.example:4010.'

/** The address of a server that listens there, as it prints itself. */
export function urlOf(host: string, port: number): string {
  const name = isWildcard(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
