import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { basePath } from '@lead-distribution/contract'
import { type HttpRequest, type HttpResponse, jsonResponse, writeResponse } from '@lead-distribution/http'
import {
  demoName,
  isLoopback,
  portOf,
  refuseOtherHosts,
  type Sandbox,
  type Self,
  sandboxPath,
} from '@lead-distribution/simulator'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Logger } from 'pino'
import { applyConfiguration } from '../configuration/apply-configuration.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { createLog, isCall, type LogLevel, logRequests, type RequestLine } from '../log.ts'
import { addressesOfThisMachine, checkOptions, checkReach, openSandbox, type SandboxOptions } from '../open-sandbox.ts'
import type { SandboxTraces } from '../telemetry/traces.ts'
import { boundRequests, createUploads, maxRequests, type UploadLimits, uploadLimits } from './limits.ts'
import { createPages } from './pages.ts'
import { createEventStreams, createRequestListener, refuseHost, type SandboxListener } from './request-listener.ts'

/** Options for mounting a sandbox in an Express application. */
export interface SandboxRouterOptions extends SandboxOptions, Pick<MountOptions, 'url' | 'accessLog'> {
  /** The log level on stderr. Default `info`: only errors; `debug` each request. */
  readonly logLevel?: LogLevel | undefined
}

/** A sandbox as a router of Express. */
export interface SandboxRouter extends Router {
  /**
   * The account of a tenant, the demo tenant's by default.
   * @throws RefusedStart the sandbox would be reached from other machines, and there is no `adminToken`.
   * @throws Error there is no such tenant, the data cannot be opened, or the URL of the sandbox is not known yet.
   */
  account(tenant?: string): Promise<Account>
  /** Finishes the responses under way, writes everything down, and lets go of the data. Then it answers 503. */
  close(): Promise<void>
  /** Stops it, as `close` does. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Mounts a sandbox in an Express application, with a path prefix or without: the service at `/api/v1`, the control plane
 * and the pages at `/_sandbox`. Any other path goes on to the next handler. Mount it before body parsers: it needs the
 * bytes of a request. Without `adminToken` it refuses requests of other machines.
 * @throws RefusedStart the options are not possible.
 * @example
 * ```ts
 * import { createSandboxRouter } from '@lead-distribution/sandbox'
 * import express from 'express'
 *
 * const app = express()
 * app.use('/leads', createSandboxRouter({ data: 'sandbox.db' }))
 * app.use(express.json())
 * app.listen(3000)
 * ```
 */
export function createSandboxRouter(options: SandboxRouterOptions = {}): SandboxRouter {
  const mount = mountSandbox(options)
  const account = async (tenant?: string) => accountOf(await mount.opened(), tenant)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= mount.close()
    return closed
  }
  const router = Router()
  router.use((request, response, next) => {
    if (!isOwn(request.url)) return next()
    if (closed) return refuse(response, 503, 'internal_error', 'The sandbox is closed.')
    if (!options.adminToken && !isLocal(request.socket.remoteAddress))
      return refuse(response, 403, 'forbidden', localOnly)
    mount.openFor(request)
    next()
  })
  router.use(routeSandbox(mount))
  return Object.assign(router, { account, close, [Symbol.asyncDispose]: close })
}

/**
 * Routes the requests of a mounted sandbox: its own paths, and `next` for all others. A function and no `Router`, which
 * only the pages need: each call of the service would pay for it.
 */
export function routeSandbox(mount: Mount): RequestHandler {
  const pages = createPages(async () => (await mount.opened()).url, mount.listener, mount.isShared)
  return (request, response, next) => {
    if (request.url.startsWith(`${sandboxPath}/`) && !mount.refuse(request)) {
      if (mount.isClosing()) response.setHeader('connection', 'close')
      pages(request, response, next)
    } else if (isOwn(request.url)) mount.listener(request, response)
    else next()
  }
}

function isOwn(url: string): boolean {
  return url.startsWith(`${basePath}/`) || url.startsWith(`${sandboxPath}/`)
}

/** Returns true if the other end of a connection is this machine; one without an address is a socket file. */
function isLocal(address: string | undefined): boolean {
  return address === undefined || isLoopback(address.replace(/^::ffff:/, ''))
}

const localOnly =
  'This sandbox accepts only requests from this machine: pass `adminToken` to createSandboxRouter() to share it.'

function refuse(response: Response, status: number, error: string, message: string): void {
  response.status(status).json({ error, message })
}

/** Options of a mounted sandbox. */
export interface MountOptions extends SandboxOptions {
  /**
   * The URL of the sandbox, with the path that it is mounted at, such as `http://127.0.0.1:3000/leads`: its links
   * begin with it. A promise where that is known only once the application listens. Default: this machine, with the port
   * and the path of the first request.
   */
  readonly url?: string | Promise<string> | undefined
  /** The log level on stderr. Default `info`. */
  readonly logLevel?: LogLevel | undefined
  /** Logs each request, whatever the level. Default: only at the level `debug`. */
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
  /** Limits of what requests hold of this process at once. Default: 4096 requests in flight, 32 MiB of bodies, a minute to receive a response. */
  readonly limits?: Partial<UploadLimits & { readonly maxRequests: number; readonly responseMs: number }> | undefined
}

/** The account of a tenant: its ids, keys, criteria and settings. */
export interface Account extends NonNullable<ReturnType<Sandbox['account']>> {}

/** A sandbox between a listener and its data. */
export interface Mount {
  /** Answers a request, whatever its path, once the sandbox is open. */
  readonly listener: SandboxListener
  /** Returns the refusal of a request by its head, whatever its path. */
  refuse(request: IncomingMessage): HttpResponse | undefined
  /** Opens the sandbox where no URL was given, by the first request that reaches it. */
  openFor(request: Request): void
  /** The sandbox, and where it is reached. Rejects where it cannot be opened. */
  opened(): Promise<OpenSandbox>
  isClosing(): boolean
  /** True if other machines reach it: then its demo account has secret keys. */
  readonly isShared: boolean
  /** Answers what waits for something to happen, ends streams and cuts stalled senders; from now on a response closes its connection. */
  quiesce(): Promise<void>
  /** Finishes requests in flight, then closes the data. */
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
  /** True if it takes only requests for this machine's own names. */
  readonly isLocal: boolean
  /** The port that it listens on, once its URL is known. */
  readonly port: () => number
}

/** Mounts a sandbox, which opens once its URL is known. Throws a `RefusedStart` for impossible options. */
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
  const refuse = (request: IncomingMessage) =>
    refuseHost(request) ?? (server?.isLocal ? refuseOther(request) : undefined)
  const running = boundRequests(
    traces ? request => traces.request(request, answer, () => current?.url) : answer,
    limits.maxRequests,
  )
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
    refuse,
    listener: createRequestListener({
      refuse,
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

function refuseOther({ headers }: IncomingMessage): HttpResponse | undefined {
  const refused = refuseOtherHosts(headers as HttpRequest['headers'])
  return refused && writeResponse(refused)
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

/** Returns the observer of answered requests; undefined if there is none. */
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
  'Anyone who knows the seed can compute the keys of the demo account and of new tenants. Start a shared sandbox without a seed.'

const unknownUrl =
  'The sandbox does not know its URL yet: pass `url` to createSandboxRouter(), or wait for its first request.'

/** This machine, with the port and the mount path of a request. Not by its `Host`, which a sender can choose. */
function urlOf({ socket, baseUrl }: Pick<Request, 'socket' | 'baseUrl'>): string {
  const { localPort, localAddress = '' } = socket
  if (localPort === undefined)
    throw new Error('The sandbox does not listen on a port: pass `url` to createSandboxRouter().')
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http'
  const address = localAddress.replace(/^::ffff:/, '')
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}${baseUrl}`
}

function checkUrl(url: string): string {
  const { protocol, origin, pathname, search, hash, username } = URL.canParse(url) ? new URL(url) : new URL('none:')
  if (!/^https?:$/.test(protocol) || search || hash || username)
    throw new Error(`\`url\` must be an http or https URL without query or fragment (got ${url}).`)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
