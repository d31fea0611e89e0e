import type { IncomingMessage } from 'node:http'
import { type HttpRequest, type HttpResponse, writeResponse } from '@lead-distribution/http'
import { demoName, type Place, refuseOtherHosts, type Sandbox, sandboxPath } from '@lead-distribution/simulator'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { applyConfiguration } from '../configuration/apply-configuration.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { isCall, logRequests, type RequestLine } from '../log.ts'
import { openSandbox, type SandboxOptions } from '../open-sandbox.ts'
import { createBrowserPages } from './browser-pages.ts'
import { createEventStreams } from './event-streams.ts'
import { boundRequests, createUploads, maxRequests, type UploadLimits, uploadLimits } from './limits.ts'
import { createRequestListener, type SandboxListener } from './request-listener.ts'
import { refuseHead } from './unread-requests.ts'

/** Options of serving a sandbox, however its requests come in. */
export interface ServingOptions extends SandboxOptions {
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

/** A sandbox that responds to requests. */
export interface ServedSandbox {
  /** Responds to a request, whatever its path. */
  readonly listener: SandboxListener
  /**
   * The account of a tenant, the demo tenant's by default.
   * @throws Error there is no tenant of this name, or it is broken.
   */
  account(tenant?: string): Account
  /**
   * Responds to calls that wait for something to happen, ends streams and cuts stalled senders. From now on a response closes
   * its connection.
   */
  quiesce(): void
  /** Finishes requests in flight, then closes the data. */
  close(): Promise<void>
}

/**
 * Opens a sandbox and serves it. `url` is where it is reached, with the path that it is mounted at.
 * @throws RefusedStart a tenant of the configuration is refused.
 * @throws Error the data cannot be opened.
 */
export async function serveSandbox(
  options: ServingOptions,
  log: Logger,
  url: string,
  place: Place,
): Promise<ServedSandbox> {
  const { adminToken, seed, intercept } = options
  if (adminToken && seed !== undefined) log.warn(guessableKeys)
  const onError = (error: unknown) => log.error({ err: error }, 'an error of the sandbox')
  const limits = { ...uploadLimits, maxRequests, responseMs: 60_000, ...options.limits }
  const bounds = boundRequests(request => sandbox.handle(request), limits.maxRequests)
  const sandbox = await openSandbox(options, url, place, onError, bounds.refused)
  await configure(sandbox, options)
  const uploads = createUploads(limits)
  const streams = createEventStreams()
  let closing = false
  const respond = createRequestListener({
    // A server that only this machine reaches takes no request for another name: a page of another host may have sent it.
    refuse: request => refuseHead(request) ?? (place.hasFixedHosts ? refuseOther(request) : undefined),
    page: createBrowserPages({ url, needsToken: Boolean(adminToken) }),
    handle: intercept ? request => intercept(request, bounds.handle) : bounds.handle,
    uploads,
    streams,
    onError,
    isClosing: () => closing,
    responseMs: limits.responseMs,
    onResponse: observerOf(log, options),
  })

  function quiesce(): void {
    closing = true
    uploads.cut()
    sandbox.endWaits()
    streams.cut()
  }

  return {
    listener(request, response) {
      if (request.url?.startsWith(`${sandboxPath}/`)) protect(request, response, () => respond(request, response))
      else respond(request, response)
    },
    account: tenant => accountOf(sandbox, tenant),
    quiesce,
    async close() {
      quiesce()
      await bounds.none()
      await sandbox.close()
    },
  }
}

function refuseOther({ headers }: IncomingMessage): HttpResponse | undefined {
  const refused = refuseOtherHosts(headers as HttpRequest['headers'])
  return refused && writeResponse(refused)
}

/** Returns the observer of responses; undefined if there is none. */
function observerOf(log: Logger, { accessLog, onCall }: ServingOptions): ((line: RequestLine) => void) | undefined {
  const logs = accessLog || log.isLevelEnabled('debug')
  const logged = logs ? logRequests(log, accessLog ? 'info' : 'debug') : undefined
  if (!onCall) return logged
  return line => {
    logged?.(line)
    if (isCall(line)) onCall(line)
  }
}

/** A sandbox that does not take its configuration is closed: it holds a file and timers. */
async function configure(sandbox: Sandbox, { configuration, adminToken }: ServingOptions): Promise<void> {
  if (!configuration) return
  try {
    await applyConfiguration(sandbox, configuration, adminToken)
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

function accountOf(sandbox: Sandbox, tenant = demoName): Account {
  const account = sandbox.account(tenant)
  if (account) return account
  const reason = sandbox.whyBroken(tenant)
  throw new Error(reason === undefined ? `There is no tenant ${tenant}.` : `The tenant ${tenant} is broken: ${reason}.`)
}

const guessableKeys =
  'Anyone who knows the seed can compute the keys of the demo account and of new tenants. Start a shared sandbox without a seed.'

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
  // The service is on the same origin and never sends it; browsers want it from all of an origin or from nothing.
  originAgentCluster: false,
})
