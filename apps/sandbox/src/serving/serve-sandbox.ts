import type { IncomingMessage } from 'node:http'
import { type HttpRequest, type HttpResponse, writeResponse } from '@lead-distribution/http'
import { demoName, type Place, refuseOtherHosts, type Sandbox, sandboxPath } from '@lead-distribution/simulator'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { applyConfiguration } from '../configuration/apply-configuration.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { isServiceRequest, logRequests, type RequestLine } from '../log.ts'
import { openSandbox, type SandboxOptions } from '../open-sandbox.ts'
import { createBrowserPages } from './browser-pages.ts'
import { createEventStreams } from './event-streams.ts'
import { boundRequests, createUploads, maxRequests, type UploadLimits, uploadLimits } from './limits.ts'
import { createRequestListener, type SandboxListener } from './request-listener.ts'
import { refuseHead } from './unread-requests.ts'

/** The options for serving a sandbox, regardless of how requests arrive. */
export interface ServingOptions extends SandboxOptions {
  /** Logs each request at any level. Default: only at the level `debug`. */
  readonly accessLog?: boolean | undefined
  /** Called with each request to the service after its response. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined
  /** The tenants to start with. Requests wait until they exist. */
  readonly configuration?: Configuration | undefined
  /** Middleware between the listener and the sandbox: sees each request as received, and may replace the response. */
  readonly intercept?:
    | ((request: HttpRequest, answer: (request: HttpRequest) => Promise<HttpResponse>) => Promise<HttpResponse>)
    | undefined
  /**
   * Limits of this process for concurrent requests. Default: 4096 requests in flight, 32 MiB of bodies, a minute to
   * receive a response.
   */
  readonly limits?: Partial<UploadLimits & { readonly maxRequests: number; readonly responseMs: number }> | undefined
}

/**
 * A tenant's account: its ids, keys, criteria and settings.
 * @category Sandbox
 */
export interface Account extends NonNullable<ReturnType<Sandbox['account']>> {}

/** A sandbox that responds to requests. */
export interface ServedSandbox {
  /** Responds to a request, whatever its path. */
  readonly listener: SandboxListener
  /**
   * Returns the account of a tenant, by default the demo tenant.
   * @throws Error there is no tenant with this name, or it is broken.
   */
  account(tenant?: string): Account
  /**
   * Responds to waiting requests, ends streams and disconnects stalled clients. From now on, connections are closed
   * after their response.
   */
  quiesce(): void
  /** Finishes requests in flight, then closes the data. */
  close(): Promise<void>
}

/**
 * Opens a sandbox and serves it. `url` is where it is reached, including the mount path.
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
    // A sandbox only for this machine refuses requests for another host name, which another site's page may have sent.
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
function observerOf(log: Logger, { accessLog, onRequest }: ServingOptions): ((line: RequestLine) => void) | undefined {
  const logs = accessLog || log.isLevelEnabled('debug')
  const logged = logs ? logRequests(log, accessLog ? 'info' : 'debug') : undefined
  if (!onRequest) return logged
  return line => {
    logged?.(line)
    if (isServiceRequest(line)) onRequest(line)
  }
}

/** A sandbox that rejects its configuration is closed, because it holds a file and timers. */
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
 * Helmet's headers for everything under the sandbox's own path. This policy is for responses other than pages; a page
 * has its own, because only the page knows what it loads.
 */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // That decision belongs to a TLS proxy in front of the sandbox, which itself speaks plain HTTP.
  strictTransportSecurity: false,
  // The service on the same origin never sends it, and browsers expect it on all responses of an origin or none.
  originAgentCluster: false,
})
