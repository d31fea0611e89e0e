import { basePath, type Settings, wireError } from '@lead-distribution/contract'
import { type Clock, type CompileShape, createLeadReader, createTokenReader } from '@lead-distribution/engine'
import {
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type Refusal,
  type RequestHandler,
} from '@lead-distribution/http'
import { createCallbackSlots } from './callbacks/slots.ts'
import type { ControlAccess } from './control/access.ts'
import { accountView } from './control/account.ts'
import { createControlPlane } from './control/control-plane.ts'
import { changeView } from './control/events.ts'
import { storedShapes } from './control/stored-shapes.ts'
import { allowedHosts, onlyHere, type Place } from './egress/callback-target.ts'
import type { Dialer, HttpEgress } from './egress/guarded-egress.ts'
import { createBackendEgress, createGuardedEgress } from './egress/guarded-egress.ts'
import type { Metric } from './journal/metrics.ts'
import { createMetrics } from './journal/metrics.ts'
import { readGauges } from './pages/gauges.ts'
import { createPages, type Documents } from './pages/pages.ts'
import type { Entropy } from './random/seeded-random.ts'
import { createLeadService } from './service/service.ts'
import type { SandboxStorage, StorageHealth } from './storage/sandbox-storage.ts'
import { everyTenant } from './storage/shared-storage.ts'
import { onceAMinute, unavailable } from './storage/storage-unavailable.ts'
import { createEventStreams } from './stream/event-streams.ts'
import { ensureDemo } from './tenants/demo-tenant.ts'
import { createExpiry } from './tenants/expiry.ts'
import { createTenantRegistry, type TenantRegistry } from './tenants/registry.ts'
import type { Timer } from './time/clock.ts'
import { controlPath, createUrls, operatorPaths, sandboxPath } from './urls.ts'

/** The options of a sandbox. */
export interface CreateSandboxOptions {
  readonly storage: SandboxStorage
  /** Real time, for records. Tenants' clocks follow it. */
  readonly clock: Clock
  /** Monotonic milliseconds, for waits and durations. Default: `clock`. */
  readonly steadyClock?: Clock | undefined
  readonly timer: Timer
  /** The timer for anything that a caller waits for, if a test controls `timer`. Default: `timer`. */
  readonly waitTimer?: Timer | undefined
  readonly entropy: Entropy
  readonly dialer: Dialer
  /** The sandbox's URL, including the mount path, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  readonly access: ControlAccess
  /** The default profile of tenants, including the demo tenant. */
  readonly profile?: Settings['profile'] | undefined
  /** Hosts, with or without a port, that callbacks may go to besides this machine. */
  readonly allowedCallbackHosts: readonly string[]
  /** The sandbox's audience and its own addresses. Default: only this machine, and no addresses. */
  readonly place?: Place | undefined
  /** Varies the random numbers and lead ids that a seed gives, for clients that remember an earlier sandbox. */
  readonly randomSalt?: string | undefined
  /** The maximum number of requests in a tenant's journal. Default: 10000. */
  readonly journalLimit?: number | undefined
  /** The maximum age of leads, requests and snapshots, in milliseconds of real time. Default: unlimited. */
  readonly maxAgeMs?: number | undefined
  /** The version of the sandbox, for its metrics. */
  readonly version?: string | undefined
  /** Like `steadyClock`, with fractions of a millisecond, for durations in the metrics. Default: `steadyClock`. */
  readonly monotonic?: (() => number) | undefined
  /** Metrics of the process, shown after those of the sandbox. */
  readonly processMetrics?: (() => readonly Metric[]) | undefined
  /** Wraps the egress of each tenant, to observe the callbacks that are sent. */
  readonly observeEgress?: ((egress: HttpEgress) => HttpEgress) | undefined
  /** Compiles the shapes of submissions. Default: shapes are interpreted. */
  readonly compileShape?: CompileShape | undefined
  /** Loads the OpenAPI documents on demand. Without it, their paths do not exist. */
  readonly documents?: (() => Promise<Documents>) | undefined
  /** True if the console is served at `/_sandbox/`; pages then link to it. Default: false. */
  readonly hasConsole?: boolean | undefined
  /** Called with every internal error of the sandbox. */
  readonly onError: (error: unknown) => void
}

/** A sandbox: the service, its control plane and its pages, without a socket. */
export interface Sandbox {
  /** Handles any request. A path that does not exist gets a 404 in the service's shape. */
  handle(request: HttpRequest): Promise<HttpResponse>
  /** Returns a tenant's account; undefined if there is no such tenant, or it is broken. */
  account(tenant: string): ReturnType<typeof accountView> | undefined
  /** Returns the reason why a tenant could not be opened; undefined if it was opened or doesn't exist. */
  whyBroken(tenant: string): string | undefined
  /** Resolves to the name of the tenant that has a lead; undefined if none does. */
  tenantOf(leadId: string): Promise<string | undefined>
  /** Applies a configuration of tenants to their current state. Processes that share the storage take turns. */
  configure(apply: () => Promise<void>): Promise<void>
  /** Starts no more jobs, and ends all streams and waits. The sandbox is no longer ready. */
  endWaits(): void
  /** Stops all workers and closes the storage. */
  close(): Promise<void>
}

/** Opens a sandbox over a storage. Creates the demo tenant if needed; stored tenants continue where they left off. */
export async function createSandbox(options: CreateSandboxOptions): Promise<Sandbox> {
  const {
    storage,
    clock,
    steadyClock = clock,
    timer,
    waitTimer = timer,
    documents,
    dialer,
    allowedCallbackHosts,
    place = onlyHere,
  } = options
  const { hasConsole = false, journalLimit = 10_000, randomSalt = '', maxAgeMs, observeEgress } = options
  const access = { ...options.access, origin: options.origin }
  const mayKeepFull = place.keepsFullRequests === true && !place.isShared && access.adminToken === undefined
  const onError = onceAMinute(options.onError, clock)
  const urls = createUrls(options.origin, basePath)
  const now = () => clock.now()
  const monotonic = options.monotonic ?? (() => steadyClock.now())
  const metrics = createMetrics({
    version: options.version ?? 'unknown',
    scheme: new URL(options.origin).protocol.slice(0, -1),
  })
  const events = createEventStreams({ timer, clock, show: changeView, isMultiProcess: storage.shared !== undefined })
  const expiry = createExpiry({ storage, timer, now, maxAgeMs, onError })
  const allowed = (own: () => readonly string[]) => () => allowedHosts(allowedCallbackHosts, own(), place)
  const registry = createTenantRegistry(
    {
      storage,
      shapes: storedShapes,
      realClock: clock,
      steadyClock,
      monotonic,
      timer,
      waitTimer,
      urls,
      metrics,
      events,
      onError,
      readLead: createLeadReader(options.compileShape),
      readToken: createTokenReader(),
      outbound: own => createGuardedEgress(dialer, allowed(own), place),
      backends: own => createBackendEgress(dialer, allowed(own), place),
      observeEgress,
      onExpiry: expiry.checkAt,
      slots: createCallbackSlots(timer),
      // The only cyclic dependency: simulated advertisers report to the service like any advertiser.
      call: request => service(request),
      randomSalt,
      journalLimit,
      mayKeepFull,
    },
    // Loaded only if needed: a sandbox in a page shares nothing.
    storage.shared && (await import('./tenants/shared-tenants.ts')).createSharedTenants,
  )
  const service: RequestHandler = createLeadService({ registry, timer, metrics, now: () => steadyClock.now(), onError })
  let closing = false
  const probe = createProbe(storage, steadyClock)
  const pages = createPages({
    registry,
    urls,
    access,
    now,
    call: service,
    documents,
    version: options.version,
    hasConsole,
    async problem() {
      if (closing) return 'The sandbox is closing.'
      const health = await probe.health()
      return health === 'ok' ? undefined : health.problem
    },
    renderMetrics: async () =>
      metrics.render(await readGauges(registry, probe, events), options.processMetrics?.() ?? []),
  })
  const demo = { ...options, shared: access.adminToken !== undefined, mayKeepFull }
  const control = createControlPlane({
    ...options,
    registry,
    onError,
    demo,
    access,
    urls,
    now,
    events,
    place,
    call: service,
  })

  async function close(): Promise<void> {
    await expiry.stop()
    await registry.stop()
    await storage.close()
    dialer.close()
  }

  try {
    await registry.open()
    await ensureDemo(registry, demo)
  } catch (error) {
    await close().catch(onError)
    throw error
  }
  expiry.start(registry)

  async function handleByFirst(request: HttpRequest): Promise<HttpResponse> {
    try {
      if (registry.refresh) await refresh(registry.refresh, request)
      const response =
        (await service(request)) ?? (await control(withoutTrailingSlash(request))) ?? (await pages(request))
      return response ?? jsonResponse(noSuchPath.status, noSuchPath.body)
    } catch (error) {
      onError(error)
      const { status, body, headers } = unavailable(error) ?? internalError
      return jsonResponse(status, body, headers)
    }
  }

  return {
    async handle(request) {
      const start = monotonic()
      const response = await handleByFirst(request)
      metrics.request(request, response, (monotonic() - start) / 1000)
      return response
    },
    whyBroken: name => registry.broken.find(name)?.reason,
    account(name) {
      const tenant = registry.find(name)
      return tenant && accountView(tenant, urls)
    },
    async tenantOf(leadId) {
      const tenant = registry.findByLead(leadId)
      const lead = await tenant?.storage.read(tables => tables.findLead(leadId))
      return lead && tenant?.record.tenant
    },
    configure: apply =>
      storage.shared
        ? storage.shared.exclusive(everyTenant, 'configuration', async () => {
            await registry.refresh?.()
            await apply()
          })
        : apply(),
    endWaits() {
      closing = true
      events.end()
      for (const { progress, worker } of registry.list()) {
        progress.end()
        void worker.stop()
      }
    },
    close,
  }
}

/** How long to cache a storage probe's result, in milliseconds. A probe writes, and anyone can request one. */
const probeMs = 1_000

/** Probes the storage at most once a second; callers in between share the result. */
function createProbe(storage: Pick<SandboxStorage, 'health'>, clock: Clock): Pick<SandboxStorage, 'health'> {
  let last: { readonly result: Promise<StorageHealth>; until: number } | undefined
  function probe() {
    const result = storage.health().finally(() => {
      probed.until = clock.now() + probeMs
    })
    const probed = { result, until: Infinity }
    return probed
  }
  return {
    health() {
      if (!last || clock.now() >= last.until) last = probe()
      return last.result
    },
  }
}

/**
 * Applies other processes' changes. The health page skips this, and pages don't fail with it; the service does its own
 * check.
 */
async function refresh(applyChanges: NonNullable<TenantRegistry['refresh']>, { target }: HttpRequest): Promise<void> {
  if (target.startsWith(healthPath) || target.startsWith(`${basePath}/`)) return
  await applyChanges().catch(error => {
    if (target.startsWith(controlPath)) throw error
  })
}

const healthPath = `${sandboxPath}${operatorPaths.health}`

/** Treats `POST …/tenants/` like `POST …/tenants` in the control plane. The service accepts only exact paths. */
function withoutTrailingSlash(request: HttpRequest): HttpRequest {
  return request.target.startsWith(controlPath)
    ? { ...request, target: request.target.replace(/^([^?]*)\/(?=$|\?)/, '$1') }
    : request
}

const noSuchPath = wireError(
  'not_found',
  `Nothing is here. The service is below ${basePath}, the control plane below ${controlPath}.`,
)

const internalError: Refusal = wireError('internal_error', 'Something went wrong in the sandbox. Try again later.')
