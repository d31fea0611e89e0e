import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { basePath } from '@lead-distribution/contract'
import { type HttpRequest, type HttpResponse, jsonResponse, writeResponse } from '@lead-distribution/http'
import { demoName, portOf, refuseOtherHosts, type Sandbox, type Self, sandboxPath } from '@lead-distribution/simulator'
import type { Request, RequestHandler } from 'express'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { applyConfiguration } from '../configuration/apply-configuration.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { createLog, isCall, type LogLevel, logRequests, type RequestLine } from '../log.ts'
import { addressesOfThisMachine, checkOptions, checkReach, openSandbox, type SandboxOptions } from '../open-sandbox.ts'
import { boundRequests, createUploads, maxRequests, type UploadLimits, uploadLimits } from './limits.ts'
import { createPages, isPage, type SandboxPages } from './pages.ts'
import { createEventStreams, createRequestListener, type SandboxListener } from './request-listener.ts'
import { refuseHead } from './unread-requests.ts'

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
  /** Called with each call of the service once it has its response. */
  readonly onCall?: ((line: RequestLine) => void) | undefined
  /** The tenants that it starts with. It responds to nothing before they are there. */
  readonly configuration?: Configuration | undefined
  /** Between the listener and the sandbox: sees each request as it came in, and may return another response. */
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
  /** Responds to a request, whatever its path, once the sandbox is open. */
  readonly listener: SandboxListener
  /** Returns the refusal of a request by its head, whatever its path. */
  refuse(request: IncomingMessage): HttpResponse | undefined
  /** Opens the sandbox where no URL was given, by the first request that reaches it. */
  openFor(request: Request): void
  /** The sandbox, and where it is reached. Rejects where it cannot be opened. */
  opened(): Promise<OpenSandbox>
  isClosing(): boolean
  /** Logs an error of the sandbox. */
  onError(error: unknown): void
  /** True if other machines reach it: then its demo account has secret keys. */
  readonly isShared: boolean
  /** Responds to calls that wait for something to happen, ends streams and cuts stalled senders; from now on a response closes its connection. */
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
  /** True if its journal may keep calls in full. */
  readonly keepsFullCalls: boolean
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
  const { intercept } = options
  const refuse = (request: IncomingMessage) =>
    refuseHead(request) ?? (server?.isLocal ? refuseOther(request) : undefined)
  const running = boundRequests(answer, limits.maxRequests)
  let closing = false
  let opening: Promise<OpenSandbox> | undefined
  let current: OpenSandbox | undefined
  if (options.url !== undefined) open(options.url)

  function open(url: string | Promise<string>): void {
    opening = Promise.resolve(url).then(async text => {
      const checked = checkUrl(text)
      checkRouterReach(checked, options)
      const place = {
        isShared,
        hasFixedHosts: server?.isLocal === true,
        keepsFullCalls: server?.keepsFullCalls === true,
        self: selfOf(checked, server),
      }
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
    onError,
    isShared: Boolean(options.adminToken),
    quiesce,
    async close() {
      await quiesce()
      await running.none()
      const opened = await opening?.catch(() => undefined)
      await opened?.sandbox.close()
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

/** Returns the observer of responses; undefined if there is none. */
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

/**
 * Routes the requests of a mounted sandbox: its own paths, and `next` for all others. Only pages go through Express, which
 * is loaded for the first of them: it would take a quarter of the time to ready, and each other request would pay for it.
 */
export function routeSandbox(mount: Mount): RequestHandler {
  let pages: SandboxPages | undefined
  const openPages = () => createPages(async () => (await mount.opened()).url, mount.listener, mount.isShared)
  return (request, response, next) => {
    if (!isOwn(request.url)) return next()
    if (!request.url.startsWith(`${sandboxPath}/`) || mount.refuse(request)) return mount.listener(request, response)
    if (mount.isClosing()) response.setHeader('connection', 'close')
    protect(request, response, () => {
      if (!isPage(request.url)) return mount.listener(request, response)
      try {
        pages ??= openPages()
      } catch (error) {
        mount.onError(error)
        return void response.writeHead(500, plainText).end('The page could not be loaded: the log says why.\n')
      }
      pages(request, response, next)
    })
  }
}

const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/**
 * The headers of helmet, for all below the sandbox's own path. The policy is that of a response without a page; a page
 * brings its own, because only the page knows what it loads.
 */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // A proxy with TLS in front of the sandbox decides for its host; the sandbox itself speaks plain HTTP.
  strictTransportSecurity: false,
  // The service is on the same origin and never sends it; a browser wants one answer of an origin.
  originAgentCluster: false,
})

/** Returns true for what is the sandbox's: the paths of the service, and those below its own. */
export function isOwn(url: string): boolean {
  return url.startsWith(`${basePath}/`) || url.startsWith(`${sandboxPath}/`)
}
