import { basePath } from '@lead-distribution/contract'
import {
  type Clock,
  type CompileShape,
  createLeadReader,
  createTokenReader,
  type Settings,
} from '@lead-distribution/engine'
import type { HttpRequest, HttpResponse, RequestHandler } from '@lead-distribution/http'
import { answerBy, refreshing, withoutTrailingSlash } from './answer.ts'
import { createDeliverySlots } from './callbacks/delivery-slots.ts'
import type { ControlAccess } from './control/access.ts'
import { createControlPlane } from './control/control-plane.ts'
import { changeView } from './control/events-handlers.ts'
import { storedShapes } from './control/stored-shapes.ts'
import { accountView } from './control/tenants-handlers.ts'
import type { Metric } from './journal/exposition.ts'
import { createMetrics, type Metrics } from './journal/metrics.ts'
import { measureTransactions } from './journal/storage-metrics.ts'
import { onlyHere, type Place } from './never-distribute/callback-target.ts'
import type { Dialer, HttpEgress } from './never-distribute/guarded-egress.ts'
import { createBackendEgress, createGuardedEgress } from './never-distribute/guarded-egress.ts'
import { readGauges } from './pages/gauges.ts'
import { createPages, type Documents } from './pages/pages.ts'
import { createUrls, type Urls } from './paths.ts'
import type { Entropy } from './random/seeded-random.ts'
import { createService } from './service-http/service.ts'
import type { SandboxStorage, StorageHealth } from './storage/sandbox-storage.ts'
import { onceAMinute } from './storage/unavailable.ts'
import { createEventHub } from './stream/event-hub.ts'
import { ensureDemo } from './tenants/demo-tenant.ts'
import { type Expiry, startExpiry } from './tenants/expiry.ts'
import type { TenantDependencies } from './tenants/tenant.ts'
import { createTenantRegistry, type TenantRegistry } from './tenants/tenant-registry.ts'
import type { Timer } from './time/clock.ts'

/** What a sandbox is made of. */
export interface SandboxOptions {
  readonly storage: SandboxStorage
  /** Real time: what the sandbox writes down, and what a tenant's clock follows. */
  readonly clock: Clock
  /** Milliseconds that go on alike when the machine's clock is set, for waits and durations. Default `clock`. */
  readonly steadyClock?: Clock | undefined
  readonly timer: Timer
  readonly entropy: Entropy
  readonly dialer: Dialer
  /** Where the sandbox is reached, such as `http://127.0.0.1:4010`, with the path that it is mounted at. */
  readonly origin: string
  readonly access: ControlAccess
  /** The profile of the demo tenant and of tenants that name none. */
  readonly profile?: Settings['profile'] | undefined
  /** Hosts besides this machine that callbacks may go to, or single ports of hosts. */
  readonly allowedCallbackHosts: readonly string[]
  /** The audience of the sandbox, and the addresses by which it would reach itself. Default: only this machine, and none. */
  readonly place?: Place | undefined
  /**
   * Makes random numbers and the ids of leads differ from those that the seeds give: for clients that remember leads of
   * an earlier sandbox. Keys and the ids of accounts stay.
   */
  readonly randomSalt?: string | undefined
  /** How many requests the journal of a tenant keeps. Default 10000. */
  readonly journalLimit?: number | undefined
  /** How old a lead, a request or a snapshot may become, milliseconds of real time; then it is deleted. Default without end. */
  readonly maxAgeMs?: number | undefined
  /** The version of the sandbox, for its metrics. */
  readonly version?: string | undefined
  /** As `steadyClock`, with fractions of a millisecond, for durations in the metrics. Default `steadyClock`. */
  readonly monotonic?: (() => number) | undefined
  /** Metrics of the process, shown after those of the sandbox. */
  readonly processMetrics?: (() => readonly Metric[]) | undefined
  /** Wraps the egress of each tenant, to observe the callbacks that are sent. */
  readonly observeEgress?: ((egress: HttpEgress) => HttpEgress) | undefined
  /** Makes the shapes of submissions faster; they are interpreted where it is left out. */
  readonly compileShape?: CompileShape | undefined
  /** Loads the OpenAPI documents when one is requested; where it is left out, their paths do not exist. */
  readonly documents?: (() => Promise<Documents>) | undefined
  /** Whether the console is served at `/_sandbox/`: then pages lead to it. Default false. */
  readonly hasConsole?: boolean | undefined
  /** Called with every error of the sandbox itself. */
  readonly onError: (error: unknown) => void
}

/** A sandbox: the service, its control plane and its pages, without a socket. */
export interface Sandbox {
  /** Answers any request; a path that does not exist with a 404 of the service's shape. */
  handle(request: HttpRequest): Promise<HttpResponse>
  /** The account of a tenant; undefined where there is none of the name, or it is broken. */
  account(tenant: string): ReturnType<typeof accountView> | undefined
  /** Why a tenant could not be opened; undefined where it was, or there is none of the name. */
  whyBroken(tenant: string): string | undefined
  /** The name of the tenant that has a lead; undefined where none has it. */
  tenantOf(leadId: string): Promise<string | undefined>
  /**
   * Starts no further job, and ends all waiting for something to happen and all streams: nothing more will. From then on
   * the sandbox is not ready.
   */
  endWaits(): void
  /** Stops all schedulers, and closes the storage. */
  close(): Promise<void>
}

/** Opens a sandbox over a storage. The demo tenant exists; stored tenants go on where they were. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, steadyClock = clock, timer, documents } = options
  const access = { ...options.access, origin: options.origin }
  const { hasConsole = false, journalLimit = 10_000, randomSalt = '' } = options
  const onError = onceAMinute(options.onError, clock)
  const urls = createUrls(options.origin, basePath)
  const now = () => clock.now()
  const monotonic = options.monotonic ?? (() => steadyClock.now())
  const metrics = createMetrics({ startedAt: now(), version: options.version ?? 'unknown' })
  const storage = measureTransactions(options.storage, metrics, monotonic)
  const events = createEventHub({ timer, clock, show: changeView, shared: storage.shared })
  let closing = false
  let expiry: Expiry | undefined
  // Loaded where it is needed: a page that holds the sandbox shares nothing.
  const share = storage.shared && (await import('./tenants/shared-tenants.ts')).createSharedTenants
  const dependencies: TenantDependencies = {
    storage,
    realClock: clock,
    steadyClock,
    timer,
    urls,
    metrics,
    events,
    onError,
    readLead: createLeadReader(options.compileShape),
    readToken: createTokenReader(),
    ...createEgresses(options),
    observeEgress: options.observeEgress,
    onExpiry: at => expiry?.lookAt(at),
    slots: createDeliverySlots(timer),
    call: request => service(request),
    randomSalt,
    journalLimit,
  }
  const registry: TenantRegistry = createTenantRegistry({ ...dependencies, shapes: storedShapes }, share)
  const calls = { registry, onError }
  const service: RequestHandler = createService({ ...calls, timer, metrics, now: () => steadyClock.now() })
  const pages = createPages({
    registry,
    urls,
    access,
    now,
    call: service,
    documents,
    hasConsole,
    problem: async () => (closing ? 'The sandbox is closing.' : problemOf(await storage.health())),
    renderMetrics: async () =>
      metrics.render(await readGauges(registry, storage, events), options.processMetrics?.() ?? []),
  })
  const demo = { ...options, shared: access.adminToken !== undefined }
  const control = createControlPlane({
    ...options,
    ...calls,
    demo,
    access,
    storage,
    urls,
    now,
    events,
    place: options.place ?? onlyHere,
    call: service,
  })
  await registry.open()
  await ensureDemo(registry, demo)
  expiry = startExpiry({ storage, registry, timer, now, onError, maxAgeMs: options.maxAgeMs })
  const first = registry.refresh ? [refreshing(registry.refresh)] : []
  const answer = answerBy([...first, service, request => control(withoutTrailingSlash(request)), pages], onError)

  return {
    handle: measureRequests(answer, metrics, monotonic),
    ...lookUps(registry, urls),
    endWaits() {
      closing = true
      events.end()
      for (const { progress, scheduler } of registry.list()) {
        progress.end()
        void scheduler.stop()
      }
    },
    async close() {
      await expiry?.stop()
      await registry.stop()
      await storage.close()
      options.dialer.close()
    },
  }
}

function lookUps(registry: TenantRegistry, urls: Urls): Pick<Sandbox, 'account' | 'whyBroken' | 'tenantOf'> {
  return {
    whyBroken: name => registry.broken.find(name)?.reason,
    account(name) {
      const tenant = registry.find(name)
      return tenant && accountView(tenant, urls)
    },
    async tenantOf(leadId) {
      const tenant = registry.findByLead(leadId)
      const lead = await tenant?.storage.transact(tables => tables.findLead(leadId))
      return lead && tenant?.record.tenant
    },
  }
}

/** Answers requests, and counts each with how long it took. */
function measureRequests(
  answer: Sandbox['handle'],
  metrics: Pick<Metrics, 'request'>,
  monotonic: () => number,
): Sandbox['handle'] {
  return async request => {
    const start = monotonic()
    const response = await answer(request)
    metrics.request(response.operation ?? 'none', response.status, (monotonic() - start) / 1000)
    return response
  }
}

/** Everything that leaves the sandbox goes by one of these. */
function createEgresses({
  dialer,
  allowedCallbackHosts,
  place,
}: SandboxOptions): Pick<TenantDependencies, 'outbound' | 'backends'> {
  const all = (own: () => readonly string[]) => () => [...allowedCallbackHosts, ...own()]
  return {
    outbound: own => createGuardedEgress(dialer, all(own), place),
    backends: own => createBackendEgress(dialer, all(own), place),
  }
}

const problemOf = (health: StorageHealth) => (health === 'ok' ? undefined : health.problem)
