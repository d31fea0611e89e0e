import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compileShape, type Settings } from '@lead-distribution/engine'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import {
  createMemoryStorage,
  createSandbox,
  demoName,
  isLoopback,
  maxControlBodyBytes,
  type Sandbox,
  type SandboxStorage,
} from '@lead-distribution/simulator'
import { answerClientError } from './door/client-error.ts'
import { createExpressDoor } from './door/express-door.ts'
import { trackIdleConnections } from './door/idle-connections.ts'
import { createNodeDialer } from './egress/node-dialer.ts'
import { createLog, type LogLevel } from './log.ts'
import { loggedPath } from './logged-path.ts'
import { createEntropy, systemClock, systemTimer } from './ports/real-world.ts'

/** How a sandbox server is started. */
export interface ServerOptions {
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined
  /** The port to listen on; 0 takes a free one. Default 4010. */
  readonly port?: number | undefined
  /** `memory`, or the path of a SQLite file. Default `memory`. */
  readonly data?: string | undefined
  /** Makes everything that is drawn by chance repeatable. */
  readonly seed?: number | undefined
  /** The profile of the demo tenant and of tenants that name none. */
  readonly profile?: Settings['profile'] | undefined
  /** Hosts besides this machine that callbacks may go to. */
  readonly allowedCallbackHosts?: readonly string[] | undefined
  /** Asked for by the control plane; needed on any host that is not loopback. */
  readonly adminToken?: string | undefined
  /** Scheme, host and port that others reach this server at, where it is not what it listens on. */
  readonly publicUrl?: string | undefined
  /** How many requests the journal of each tenant keeps. Default 10000. */
  readonly journalLimit?: number | undefined
  /** How long the sender of a request may take until it is whole, milliseconds. Default 30000. */
  readonly requestTimeoutMs?: number | undefined
  /** How much is logged on stderr. Default `info`. */
  readonly logLevel?: LogLevel | undefined
  /** Makes the ids of leads, and all else that is drawn by chance, other than the seeds give. */
  readonly chanceSalt?: string | undefined
  /** Stands between the door and the sandbox: sees each request as it came in, and may answer another reply. */
  readonly intercept?:
    | ((request: HttpRequest, answer: (request: HttpRequest) => Promise<HttpResponse>) => Promise<HttpResponse>)
    | undefined
}

/** A sandbox server at work. */
export interface SandboxServer {
  /** Where it is reached, such as `http://127.0.0.1:4010`. */
  readonly url: string
  /** The account of a tenant, the demo tenant's by default. */
  account(tenant?: string): NonNullable<ReturnType<Sandbox['account']>>
  /** Takes no more requests, finishes those under way, writes everything down. */
  close(): Promise<void>
}

/** A start that the options do not allow; its message says what to do. */
export class RefusedStart extends Error {}

const { version }: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** How long a reply under way may take once the server is closing, milliseconds. */
const closeGraceMs = 10_000

/** Starts a sandbox server. Rejects with {@link RefusedStart} where the options are not safe or not possible. */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  const { host = '127.0.0.1', port = 4010, data = 'memory', adminToken, seed, profile } = options
  if (!isLoopback(host) && !adminToken)
    throw new RefusedStart(
      `Others could reach the control plane on ${host}: start with --admin-token TOKEN, or on 127.0.0.1.`,
    )
  if (/^postgres(?:ql)?:/.test(data))
    throw new RefusedStart('PostgreSQL is not supported yet: start with --data FILE for SQLite, or --data memory.')

  const log = createLog(options.logLevel ?? 'info')
  const onError = (fault: unknown) => log.error({ err: fault }, 'a fault of the sandbox')
  let closing = false
  // The port is taken first: the sandbox's own URLs hold it. Requests that come before it is open wait for it.
  const opened = Promise.withResolvers<Sandbox>()
  const answer = async (request: HttpRequest) => (await opened.promise).handle(request)
  const { intercept } = options
  const door = createExpressDoor({
    handle: intercept ? request => intercept(request, answer) : answer,
    maxBodyBytes: maxControlBodyBytes,
    onError,
    isClosing: () => closing,
    ...(log.isLevelEnabled('debug')
      ? { onReply: line => log.debug({ ...line, path: loggedPath(line.path) }, 'request') }
      : {}),
  })
  const { requestTimeoutMs: requestTimeout = 30_000 } = options
  const limits = {
    requestTimeout,
    headersTimeout: Math.min(requestTimeout, 15_000),
    connectionsCheckingInterval: 1_000,
  }
  const server = createServer(limits, door).on('clientError', answerClientError)
  const connections = trackIdleConnections(server)
  await listen(server, host, port)
  const url = options.publicUrl ?? urlOf(host, (server.address() as AddressInfo).port)
  const sandbox = await open()
  opened.resolve(sandbox)

  async function open(): Promise<Sandbox> {
    try {
      return await createSandbox({
        storage: await openStorage(data),
        clock: systemClock,
        timer: systemTimer,
        entropy: createEntropy(seed),
        dialer: createNodeDialer(),
        origin: url,
        access: { adminToken: adminToken || undefined },
        profile,
        allowedCallbackHosts: options.allowedCallbackHosts ?? [],
        chanceSalt: options.chanceSalt,
        journalLimit: options.journalLimit,
        version,
        compileShape,
        documents: () => import('@lead-distribution/simulator/documents'),
        onError,
      })
    } catch (fault) {
      server.close()
      server.closeAllConnections()
      throw fault
    }
  }

  return {
    url,
    account(tenant = demoName) {
      const account = sandbox.account(tenant)
      if (!account) throw new Error(`There is no tenant ${tenant}.`)
      return account
    },
    async close() {
      closing = true
      sandbox.endWaits()
      const closed = once(server, 'close')
      server.close()
      connections.closeIdle()
      const force = setTimeout(() => server.closeAllConnections(), closeGraceMs)
      await closed
      clearTimeout(force)
      await sandbox.close()
    },
  }
}

async function openStorage(data: string): Promise<SandboxStorage> {
  if (data === 'memory') return createMemoryStorage()
  const { openSqliteStorage } = await import('./storage/sqlite/sqlite-storage.ts')
  return openSqliteStorage(data)
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    throw new RefusedStart(`Could not listen on ${host}:${port} (${code}): choose another --port or --host.`)
  }
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
