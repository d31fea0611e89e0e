import { type ServerErrorCode, wireError } from '@lead-distribution/contract'
import { isLoopback } from '@lead-distribution/simulator'
import { type Response, Router } from 'express'
import type { LogLevel } from '../log.ts'
import type { SandboxOptions } from '../open-sandbox.ts'
import { type Account, accountOf, isOwn, type MountOptions, mountSandbox, routeSandbox } from './mount.ts'
import { answerUnreadOf, useOriginForm } from './unread-requests.ts'

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
    answerUnreadOf(request, response)
    useOriginForm(request, isOwn)
    if (!isOwn(request.url)) return next()
    if (closed) return refuse(response, 'service_unavailable', 'The sandbox is closed.')
    if (!options.adminToken && !isLocal(request.socket.remoteAddress)) return refuse(response, 'forbidden', localOnly)
    mount.openFor(request)
    next()
  })
  router.use(routeSandbox(mount))
  return Object.assign(router, { account, close, [Symbol.asyncDispose]: close })
}

/** Returns true if the other end of a connection is this machine; one without an address is a socket file. */
function isLocal(address: string | undefined): boolean {
  return address === undefined || isLoopback(address.replace(/^::ffff:/, ''))
}

const localOnly =
  'This sandbox accepts only requests from this machine: pass `adminToken` to createSandboxRouter() to share it.'

function refuse(response: Response, error: ServerErrorCode, message: string): void {
  const { status, body } = wireError(error, message)
  response.status(status).json(body)
}
