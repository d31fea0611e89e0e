import type { TLSSocket } from 'node:tls'
import { basePath, type ServerErrorCode, wireError } from '@lead-distribution/contract'
import { isLoopback, portOf, sandboxPath } from '@lead-distribution/simulator'
import { type Request, type Response, Router } from 'express'
import type { Logger } from 'pino'
import { createLog, type LogLevel } from '../log.ts'
import { addressesOfThisMachine, checkOptions, checkReach, checkUrl, type SandboxOptions } from '../open-sandbox.ts'
import { type Account, type ServedSandbox, type ServingOptions, serveSandbox } from '../serving/serve-sandbox.ts'
import { answerUnreadOf, useOriginForm } from '../serving/unread-requests.ts'

/**
 * The options for mounting a sandbox in an Express application.
 * @category Options
 */
export interface SandboxRouterOptions extends SandboxOptions, Pick<ServingOptions, 'accessLog'> {
  /**
   * The sandbox's URL, including its mount path, such as `http://127.0.0.1:3000/leads`; its links start with it.
   * Default: this machine, with the port and mount path of the first request.
   */
  readonly url?: string | undefined
  /** The log level on stderr. Default `info`, which logs only errors; `debug` also logs each request. */
  readonly logLevel?: LogLevel | undefined
}

/**
 * A sandbox as an Express router.
 * @category Sandbox
 */
export interface SandboxRouter extends Router {
  /**
   * Returns the account of a tenant, by default the demo tenant.
   * @throws RefusedStart other machines could reach the sandbox, and there is no `adminToken`.
   * @throws Error there is no such tenant, the data cannot be opened, or the sandbox's URL is not known yet.
   */
  account(tenant?: string): Promise<Account>
  /** Finishes requests in flight, saves everything, and releases the data. Afterward it responds with 503. */
  close(): Promise<void>
  /** Closes the sandbox, like `close`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Mounts a sandbox in an Express application, with or without a path prefix: the service at `/api/v1`, the control
 * plane and the pages at `/_sandbox`. Passes all other paths to the next handler. Mount it before body parsers, because
 * it needs the raw bytes of a request. Without `adminToken` it refuses requests from other machines.
 * @throws RefusedStart the options are invalid.
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
 * @category Sandbox
 */
export function createSandboxRouter(options: SandboxRouterOptions = {}): SandboxRouter {
  const { adminToken } = options
  checkOptions(options, Boolean(adminToken))
  const log = createLog(options.logLevel ?? 'info')
  let url = options.url
  let opening: Promise<ServedSandbox> | undefined
  let served: ServedSandbox | undefined
  let closed: Promise<void> | undefined

  /** A sandbox that could not be opened, for example while its database was down, is opened by the next request. */
  function open(ownUrl: string): Promise<ServedSandbox> {
    opening ??= serveAt(ownUrl, options, log).then(
      sandbox => {
        served = sandbox
        return sandbox
      },
      (error: unknown) => {
        log.error({ err: error }, 'the sandbox could not be opened')
        opening = undefined
        throw error
      },
    )
    return opening
  }
  // Due callbacks are sent without waiting for a request.
  if (url !== undefined) open(url).catch(() => undefined)

  const router = Router()
  router.use((request, response, next) => {
    answerUnreadOf(request, response)
    useOriginForm(request, isOwn)
    if (!isOwn(request.url)) return next()
    if (closed) return refuse(response, 'service_unavailable', 'The sandbox is closed.')
    if (!adminToken && !isLocal(request.socket.remoteAddress)) return refuse(response, 'forbidden', localOnly)
    if (served) return served.listener(request, response)
    url ??= urlOf(request)
    open(url).then(
      sandbox => sandbox.listener(request, response),
      () => refuse(response, 'service_unavailable', 'The sandbox could not be opened: see its log.'),
    )
  })

  async function account(tenant?: string): Promise<Account> {
    if (url === undefined) throw new Error(unknownUrl)
    return (await open(url)).account(tenant)
  }
  function close(): Promise<void> {
    closed ??= (async () => (await opening?.catch(() => undefined))?.close())()
    return closed
  }
  return Object.assign(router, { account, close, [Symbol.asyncDispose]: close })
}

/** Serves a sandbox under a path of an application, whose port also has other paths. */
async function serveAt(url: string, options: SandboxRouterOptions, log: Logger): Promise<ServedSandbox> {
  const checked = checkUrl(url, 'url')
  const { hostname } = new URL(checked)
  checkReach(hostname, options.adminToken, `at ${checked}: pass \`adminToken\` to createSandboxRouter().`)
  const self = { url: checked, port: portOf(new URL(checked)), hasWholePort: false, addresses: addressesOfThisMachine }
  return serveSandbox(options, log, checked, { isShared: Boolean(options.adminToken), self })
}

/** Returns true for the sandbox's own paths: those of the service and those under `/_sandbox`. */
function isOwn(url: string): boolean {
  return url.startsWith(`${basePath}/`) || url.startsWith(`${sandboxPath}/`)
}

/** This machine, with the port and mount path of a request. Ignores `Host`, which the client can choose. */
function urlOf({ socket, baseUrl }: Pick<Request, 'socket' | 'baseUrl'>): string {
  const { localPort, localAddress = '' } = socket
  if (localPort === undefined)
    throw new Error('The sandbox does not listen on a port: pass `url` to createSandboxRouter().')
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http'
  const address = localAddress.replace(/^::ffff:/, '')
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}${baseUrl}`
}

/** Returns true if the peer of a connection is this machine; a Unix socket has no address. */
function isLocal(address: string | undefined): boolean {
  return address === undefined || isLoopback(address.replace(/^::ffff:/, ''))
}

const localOnly =
  'This sandbox accepts only requests from this machine: pass `adminToken` to createSandboxRouter() to share it.'

function refuse(response: Response, error: ServerErrorCode, message: string): void {
  const { status, body } = wireError(error, message)
  response.status(status).json(body)
}

const unknownUrl =
  'The sandbox does not know its URL yet: pass `url` to createSandboxRouter(), or wait for its first request.'
