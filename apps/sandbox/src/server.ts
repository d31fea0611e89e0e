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
 * An `import` of `node:http` would read each of its exports, and so load `fetch` and `WebSocket`, which takes 50 ms and
 * 13 MB and which a server does not use.
 */
const { createServer } = process.getBuiltinModule('node:http')

/** Options of a sandbox server. */
export interface ServerOptions extends ServingOptions {
  /** The log level on stderr. Default `info`. */
  readonly logLevel?: LogLevel | undefined
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
  const { publicUrl, local = false, keepsFullCalls = false, closeGraceMs = 10_000, idleGraceMs = 0 } = options
  const publicAddress = publicUrl === undefined ? undefined : checkUrl(publicUrl, 'publicUrl')
  const isShared = isReachedByOthers(options)
  checkServerReach(options)
  checkOptions(options, isShared)
  const log = createLog(options.logLevel ?? 'info')
  const warning = warningOf(options)
  if (warning !== undefined) log.warn(warning)

  // No application of Express: that would give each request and response another prototype, which nothing here uses.
  const server = createServer({
    requestTimeout,
    // Without one it is refused here, in JSON.
    requireHostHeader: false,
    headersTimeout: Math.min(requestTimeout, 15_000),
    // Longer than balancers keep idle connections: whoever sends requests closes first, so none is lost to a close.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  })
  const connections = watchConnections(server)
  // The port is taken first: the sandbox's own URLs hold it. Requests that come before it is open wait for it.
  const early: Parameters<SandboxListener>[] = []
  const wait: SandboxListener = (...exchange) => void early.push(exchange)
  server.on('request', wait)
  await listen(server, host, port)
  const { port: ownPort } = server.address() as AddressInfo
  const url = publicAddress ?? urlOf(host, ownPort)
  const self = { url, port: ownPort, hasWholePort: true, addresses: addressesOfThisMachine }
  const sandbox = await serveSandbox(options, log, url, { isShared, hasFixedHosts: local, keepsFullCalls, self }).catch(
    (error: unknown) => {
      server.close()
      server.closeAllConnections()
      throw error
    },
  )
  const mountPath = new URL(url).pathname.replace(/\/$/, '')
  const respond: SandboxListener = (request, response) => {
    useOriginForm(request)
    // A proxy passes the path of its URL on, or removes it.
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

/** Throws a {@link RefusedStart} where others could reach the control plane and there is no token. */
function checkServerReach({ host = '127.0.0.1', adminToken, local, publicUrl }: ServerOptions): void {
  if (local && adminToken) throw new RefusedStart(localAndToken)
  if (!local) checkReach(host, adminToken, `on ${host}: start with --admin-token TOKEN, or on 127.0.0.1.`)
  if (publicUrl === undefined) return
  // Whatever takes requests for that URL hands them over from this machine, under any `Host`.
  checkReach(
    new URL(publicUrl).hostname,
    adminToken,
    `at ${publicUrl}: start with --admin-token TOKEN, or without --public-url.`,
  )
}

/** Returns true if other machines reach a server. */
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
