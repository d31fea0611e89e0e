import type { TLSSocket } from 'node:tls'
import { type HttpRequest, type HttpResponse, jsonResponse } from '@lead-distribution/http'
import { demoName, portOf, type Sandbox, type Self } from '@lead-distribution/simulator'
import type { Request } from 'express'
import type { Logger } from 'pino'
import { applyConfiguration } from '../configuration/apply-configuration.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { createLog, isCall, type LogLevel, logRequests, type RequestLine } from '../log.ts'
import { addressesOfThisMachine, checkOptions, checkReach, openSandbox, type SandboxOptions } from '../open-sandbox.ts'
import type { SandboxTraces } from '../telemetry/traced-sandbox.ts'
import { createEventStreams } from './event-streams.ts'
import { boundRequests, maxRequests } from './overload.ts'
import { createRequestListener, type SandboxListener } from './request-listener.ts'
import { createUploads, type UploadLimits, uploadLimits } from './uploads.ts'

/** How a sandbox is mounted. */
export interface MountOptions extends SandboxOptions {
  /**
   * Where the sandbox is reached, with the path that it is mounted at, such as `http://127.0.0.1:3000/leads`: its links
   * begin with it. A promise where that is known only once the application listens. Default: this machine, with the port
   * and the path of the first request.
   */
  readonly url?: string | Promise<string> | undefined
  /** How much is logged on stderr. Default `info`. */
  readonly logLevel?: LogLevel | undefined
  /** Whether each request is logged, whatever the level. Default: only at the level `debug`. */
  readonly accessLog?: boolean | undefined
  /** Called with each call of the service once it was answered. */
  readonly onCall?: ((line: RequestLine) => void) | undefined
  /** The tenants that it starts with. It answers nothing before they are there. */
  readonly configuration?: Configuration | undefined
  /** Records what the sandbox does. */
  readonly traces?: SandboxTraces | undefined
  /** Between the listener and the sandbox: sees each request as it came in, and may answer another response. */
  readonly intercept?:
    | ((request: HttpRequest, answer: (request: HttpRequest) => Promise<HttpResponse>) => Promise<HttpResponse>)
    | undefined
  /** What requests may hold of this process at once. Default: 4096 requests in flight, 32 MiB of bodies, a minute to receive a response. */
  readonly limits?: Partial<UploadLimits & { readonly maxRequests: number; readonly responseMs: number }> | undefined
}

/** The account of a tenant: its ids, keys, criteria and settings. */
export interface Account extends NonNullable<ReturnType<Sandbox['account']>> {}

/** A sandbox between a listener and its data. */
export interface Mount {
  /** Answers a request, whatever its path, once the sandbox is open. */
  readonly listener: SandboxListener
  /** Opens the sandbox where no URL was given, by the first request that reaches it. */
  openFor(request: Request): void
  /** The sandbox, and where it is reached. Rejects where it cannot be opened. */
  opened(): Promise<OpenSandbox>
  isClosing(): boolean
  /** Whether others than this machine reach it: then its demo account has secret keys. */
  readonly isShared: boolean
  /** Answers what waits for something to happen, ends streams and cuts stalled senders; from now on a response closes its connection. */
  quiesce(): Promise<void>
  /** Finishes what is under way and lets go of the data. */
  close(): Promise<void>
}

/** A sandbox, and where it is reached. */
export interface OpenSandbox {
  readonly url: string
  readonly sandbox: Sandbox
}

/** A server that is the sandbox's alone. */
export interface OwnServer {
  /** True if other machines reach it. */
  readonly isShared: boolean
  /** The port that it listens on, once its URL is known. */
  readonly port: () => number
}

/**
 * Mounts a sandbox, which opens once its URL is known; in an application, where it has no server of its own. Throws a
 * `RefusedStart` where the options are not possible.
 */
export function mountSandbox(options: MountOptions, server?: OwnServer): Mount {
  const isShared = server?.isShared ?? Boolean(options.adminToken)
  checkOptions(options, isShared)
  const log = openLog(options)
  const onError = (error: unknown) => log.error({ err: error }, 'an error of the sandbox')
  const limits = { ...uploadLimits, maxRequests, responseMs: 60_000, ...options.limits }
  const onResponse = observerOf(log, options)
  const uploads = createUploads(limits)
  const streams = createEventStreams()
  // On the hot path: no promise of its own once it is open.
  const answer = (request: HttpRequest) => current?.sandbox.handle(request) ?? answerOnceOpen(request)
  const answerOnceOpen = async (request: HttpRequest) =>
    (await whenOpen().catch(onError))?.sandbox.handle(request) ?? notOpened
  const { intercept, traces } = options
  const running = boundRequests(traces ? request => traces.request(request, answer) : answer, limits.maxRequests)
  let closing = false
  let opening: Promise<OpenSandbox> | undefined
  let current: OpenSandbox | undefined
  if (options.url !== undefined) open(options.url)

  function open(url: string | Promise<string>): void {
    opening = Promise.resolve(url).then(async text => {
      const checked = checkUrl(text)
      checkRouterReach(checked, options)
      const place = { isShared, self: selfOf(checked, server) }
      const sandbox = await openSandbox(options, checked, place, onError, running.refused)
      await configure(sandbox, options)
      current = { url: checked, sandbox }
      return current
    })
    // Its error is for those that await it.
    opening.catch(() => undefined)
  }
  const whenOpen = () => opening ?? Promise.reject(new Error(unknownUrl))

  async function quiesce(): Promise<void> {
    closing = true
    uploads.cut()
    const opened = await opening?.catch(() => undefined)
    opened?.sandbox.endWaits()
    streams.cut()
  }

  return {
    listener: createRequestListener({
      handle: intercept ? request => intercept(request, running.handle) : running.handle,
      uploads,
      streams,
      onError,
      isClosing: () => closing,
      responseMs: limits.responseMs,
      ...(onResponse && { onResponse }),
    }),
    openFor(request) {
      if (!opening) open(urlOf(request))
    },
    opened: whenOpen,
    isClosing: () => closing,
    isShared: Boolean(options.adminToken),
    quiesce,
    async close() {
      await quiesce()
      await running.none()
      const opened = await opening?.catch(() => undefined)
      await opened?.sandbox.close()
      await traces?.close()
    },
  }
}

function openLog({ logLevel = 'info', adminToken, seed }: MountOptions): Logger {
  const log = createLog(logLevel)
  if (adminToken && seed !== undefined) log.warn(guessableKeys)
  return log
}

/** The sandbox as a target: what it never calls. */
function selfOf(url: string, server: OwnServer | undefined): Self {
  return {
    url,
    port: server?.port() ?? portOf(new URL(url)),
    hasWholePort: server !== undefined,
    addresses: addressesOfThisMachine,
  }
}

/** What sees each request once it was answered; undefined where nothing wants to. */
function observerOf(log: Logger, { accessLog, onCall }: MountOptions): ((line: RequestLine) => void) | undefined {
  const logs = accessLog || log.isLevelEnabled('debug')
  const logged = logs ? logRequests(log, accessLog ? 'info' : 'debug') : undefined
  if (!onCall) return logged
  return line => {
    logged?.(line)
    if (isCall(line)) onCall(line)
  }
}

function checkRouterReach(url: string, { adminToken }: MountOptions): void {
  checkReach(new URL(url).hostname, adminToken, `at ${url}: pass \`adminToken\` to createSandboxRouter().`)
}

/** A sandbox that does not take its configuration is closed: it holds a file and timers. */
async function configure(sandbox: Sandbox, { configuration, adminToken }: MountOptions): Promise<void> {
  if (!configuration) return
  try {
    await applyConfiguration(sandbox, configuration, adminToken)
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

/** The account of a tenant, the demo tenant's by default. */
export function accountOf({ sandbox }: OpenSandbox, tenant = demoName): Account {
  const account = sandbox.account(tenant)
  if (account) return account
  const reason = sandbox.whyBroken(tenant)
  throw new Error(reason === undefined ? `There is no tenant ${tenant}.` : `The tenant ${tenant} is broken: ${reason}.`)
}

const notOpened = jsonResponse(500, {
  error: 'internal_error',
  message: 'The sandbox could not be opened: its log says why.',
})

const guessableKeys =
  'With a seed, others can compute the keys of the demo account and of new tenants: start without a seed where this sandbox is shared.'

const unknownUrl =
  'The sandbox does not know yet where it is reached: pass `url` to createSandboxRouter(), or wait for its first request.'

/** This machine, with the port and the mount path of a request. Not by its `Host`, which a sender can choose. */
function urlOf({ socket, baseUrl }: Pick<Request, 'socket' | 'baseUrl'>): string {
  const { localPort, localAddress = '' } = socket
  if (localPort === undefined)
    throw new Error('The sandbox is not reached by a port: pass `url` to createSandboxRouter().')
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http'
  const address = localAddress.replace(/^::ffff:/, '')
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}${baseUrl}`
}

function checkUrl(url: string): string {
  const { protocol, origin, pathname, search, hash, username } = URL.canParse(url) ? new URL(url) : new URL('none:')
  if (!/^https?:$/.test(protocol) || search || hash || username)
    throw new Error(`\`url\` must be an http or https URL with no more than a path (got ${url}).`)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
