import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopback } from '@lead-distribution/simulator'
import { createLog, type LogLevel } from './log.ts'
import { addressesOfThisMachine, checkOptions, checkReach, checkUrl, RefusedStart } from './open-sandbox.ts'
import { drainServer, watchConnections } from './serving/connections.ts'
import type { SandboxListener } from './serving/request-listener.ts'
import { type Account, type ServingOptions, serveSandbox } from './serving/serve-sandbox.ts'
import { useOriginForm } from './serving/unread-requests.ts'

/**
 * Importing `node:http` would evaluate all its exports, and so load `fetch` and `WebSocket`, which a server does not
 * use: 50 ms and 13 MB.
 */
const { createServer } = process.getBuiltinModule('node:http')

/**
 * The options of a sandbox server.
 * @category Options
 */
export interface ServerOptions extends ServingOptions {
  /** The log level on stderr. Default `info`. */
  readonly logLevel?: LogLevel | undefined
  /** The address to listen on. Default `127.0.0.1`; any other requires `adminToken` or `local`. */
  readonly host?: string | undefined
  /**
   * Declares that only this machine can reach the port, regardless of `host`: for a container whose port is published
   * on 127.0.0.1. Then no token is needed, and requests whose `Host` is not this machine are refused. Default false.
   */
  readonly local?: boolean | undefined
  /** The port to listen on; 0 for any free port. Default 4010. */
  readonly port?: number | undefined
  /**
   * The URL at which others reach this server, if different. Requires `adminToken`, except on this machine. With a
   * path, such as `https://qa.example/leads`, the server accepts requests with and without that path.
   */
  readonly publicUrl?: string | undefined
  /**
   * Lets tenants store requests in full (`journal_bodies` `full`), so that the console can send them again; new tenants
   * do so by default. Has no effect with an admin token, or if others can reach the sandbox. Default: false, except for
   * `lead-sandbox start`.
   */
  readonly keepsFullRequests?: boolean | undefined
  /** Timeout for receiving a whole request, milliseconds. Default 30000. */
  readonly requestTimeoutMs?: number | undefined
  /** Timeout for responses in flight during shutdown, milliseconds. Default 10000. */
  readonly closeGraceMs?: number | undefined
  /**
   * How long an idle connection stays open during shutdown, milliseconds, in case a client is about to send a request.
   * Default 0, because a program that closes its own server sends nothing more.
   */
  readonly idleGraceMs?: number | undefined
}

/**
 * A running sandbox server.
 * @category Sandbox
 */
export interface SandboxServer {
  /** The server's URL, such as `http://127.0.0.1:4010`. */
  readonly url: string
  /**
   * Returns the account of a tenant, by default the demo tenant.
   * @throws Error there is no tenant with this name, or it is broken.
   */
  account(tenant?: string): Account
  /**
   * Closes the server. Accepts no more connections, responds to requests in flight or arriving within `idleGraceMs`,
   * and saves everything.
   */
  close(): Promise<void>
}

/**
 * Starts a sandbox server.
 * @throws RefusedStart the options are unsafe or invalid, the port is taken, or a tenant of the configuration is
 * refused.
 * @throws Error the data cannot be opened, such as a file in use by another sandbox, or `publicUrl` is not an http or
 * https URL, or has a query or fragment.
 * @example
 * ```ts
 * import { startServer } from '@lead-distribution/sandbox'
 *
 * const server = await startServer({ port: 0, data: 'sandbox.db' })
 * const { base_url, publisher } = server.account()
 * report({ base_url, publisher_id: publisher.publisher_id })
 * await server.close()
 * ```
 * @category Sandbox
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  const { host = '127.0.0.1', port = 4010, requestTimeoutMs: requestTimeout = 30_000 } = options
  const { publicUrl, local = false, keepsFullRequests = false, closeGraceMs = 10_000, idleGraceMs = 0 } = options
  const publicAddress = publicUrl === undefined ? undefined : checkUrl(publicUrl, 'publicUrl')
  const isShared = isReachedByOthers(options)
  checkServerReach(options)
  checkOptions(options, isShared)
  const log = createLog(options.logLevel ?? 'info')
  const warning = warningOf(options)
  if (warning !== undefined) log.warn(warning)

  // Not an Express application, which would change the prototype of every request and response for nothing.
  const server = createServer({
    requestTimeout,
    // A missing Host is refused here, in JSON.
    requireHostHeader: false,
    headersTimeout: Math.min(requestTimeout, 15_000),
    // Longer than load balancers keep idle connections, so that the client side closes first and no request is lost.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  })
  const connections = watchConnections(server)
  // Takes the port first, because the sandbox's own URLs contain it. Early requests wait until the sandbox is open.
  const early: Parameters<SandboxListener>[] = []
  const wait: SandboxListener = (...exchange) => void early.push(exchange)
  server.on('request', wait)
  await listen(server, host, port)
  const { port: ownPort } = server.address() as AddressInfo
  const url = publicAddress ?? urlOf(host, ownPort)
  const self = { url, port: ownPort, hasWholePort: true, addresses: addressesOfThisMachine }
  const sandbox = await serveSandbox(options, log, url, {
    isShared,
    hasFixedHosts: local,
    keepsFullRequests,
    self,
  }).catch((error: unknown) => {
    server.close()
    server.closeAllConnections()
    throw error
  })
  const mountPath = new URL(url).pathname.replace(/\/$/, '')
  const respond: SandboxListener = (request, response) => {
    useOriginForm(request)
    // A proxy may pass on the URL's path or strip it.
    if (mountPath !== '' && `${request.url}/`.startsWith(`${mountPath}/`))
      request.url = request.url?.slice(mountPath.length) || '/'
    sandbox.listener(request, response)
  }
  server.off('request', wait).on('request', respond)
  for (const exchange of early) respond(...exchange)

  return {
    url,
    account: sandbox.account,
    async close() {
      sandbox.quiesce()
      await drainServer(server, connections, { closeGraceMs, idleGraceMs })
      await sandbox.close()
    },
  }
}

/** Throws a {@link RefusedStart} if others could reach the control plane without a token. */
function checkServerReach({ host = '127.0.0.1', adminToken, local, publicUrl }: ServerOptions): void {
  if (local && adminToken) throw new RefusedStart(localAndToken)
  if (!local) checkReach(host, adminToken, `on ${host}: start with --admin-token TOKEN, or on 127.0.0.1.`)
  if (publicUrl === undefined) return
  // The proxy for that URL forwards requests from this machine, under any `Host`.
  checkReach(
    new URL(publicUrl).hostname,
    adminToken,
    `at ${publicUrl}: start with --admin-token TOKEN, or without --public-url.`,
  )
}

/** Returns true if other machines can reach a server. */
export function isReachedByOthers({ host = '127.0.0.1', publicUrl, local = false }: ServerOptions): boolean {
  return (!local && !isLoopback(host)) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
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

/** Returns true if a host means all addresses of this machine, and so is not one that others could use. */
const isWildcard = (host: string) => host === '0.0.0.0' || host === '::'

function warningOf({ host = '127.0.0.1', publicUrl, local }: ServerOptions): string | undefined {
  if (local) return isLoopback(host) ? undefined : openPort
  return publicUrl === undefined && isWildcard(host) ? deadLinks : undefined
}

const localAndToken =
  '--local excludes an admin token: remove --local to require the token, or remove --admin-token (LEAD_SANDBOX_ADMIN_TOKEN).'

const openPort =
  "Any program that reaches this port controls the sandbox, because --local declares that only this machine can. Publish a container's port only on 127.0.0.1: docker run -p 127.0.0.1:4010:4010."

const deadLinks =
  'Links in responses start with 127.0.0.1, which other machines cannot reach. Start with --public-url, such as --public-url http://sandbox.example:4010.'

/** Returns the address for the URL of a server that listens there. */
function urlOf(host: string, port: number): string {
  const name = isWildcard(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
