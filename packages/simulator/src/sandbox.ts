import { basePath, toHex, wireError } from '@lead-distribution/contract'
import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'
import { createNearMissFinder } from '@lead-distribution/diagnostics'
import { type Clock, type CompileShape, createLeadReader, type Settings } from '@lead-distribution/engine'
import { type Handler, type HttpRequest, type HttpResponse, jsonResponse } from '@lead-distribution/http'
import type { ControlAccess } from './control/access.ts'
import { createControlPlane } from './control/control-plane.ts'
import { accountView } from './control/tenants/account-view.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createGuardedEgress } from './never-distribute/guarded-egress.ts'
import { createPages } from './pages/pages.ts'
import { createUrls } from './pages/urls.ts'
import type { Dialer } from './ports/dialer.ts'
import type { Documents } from './ports/documents.ts'
import type { Entropy } from './ports/entropy.ts'
import type { SandboxStorage } from './ports/sandbox-storage.ts'
import type { Timer } from './ports/timer.ts'
import { createService } from './service.ts'
import { controlPath } from './surface.ts'
import { createTenant } from './tenants/create-tenant.ts'
import { createDemoTenant, demoName } from './tenants/demo-tenant.ts'
import { createTenantRegistry, type TenantRegistry } from './tenants/tenant-registry.ts'

/** What a sandbox is made of. */
export interface SandboxOptions {
  readonly storage: SandboxStorage
  readonly clock: Clock
  readonly timer: Timer
  readonly entropy: Entropy
  readonly dialer: Dialer
  /** Scheme, host and port that the sandbox is reached at, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  readonly access: ControlAccess
  /** The profile of the demo tenant and of tenants that name none. */
  readonly profile?: Settings['profile'] | undefined
  /** Hosts besides this machine that callbacks may go to. */
  readonly allowedCallbackHosts: readonly string[]
  /**
   * Makes what is drawn by chance, the ids of leads included, other than the seeds give: for whoever remembers leads of
   * an earlier sandbox. Keys and the ids of accounts stay.
   */
  readonly chanceSalt?: string | undefined
  /** How many requests the journal of a tenant keeps. Default 10000. */
  readonly journalLimit?: number | undefined
  /** The version of the sandbox, for its metrics. */
  readonly version?: string | undefined
  /** Makes the shapes of submissions faster; they are interpreted where it is left out. */
  readonly compileShape?: CompileShape | undefined
  /** Loads the OpenAPI documents when one is asked for; where it is left out, their paths are nobody's. */
  readonly documents?: (() => Promise<Documents>) | undefined
  /** Told of every fault of ours. */
  readonly onError: (fault: unknown) => void
}

/** A sandbox: the service, its control plane and its pages, without a socket. */
export interface Sandbox {
  /** Answers any request. Paths that are nobody's get a 404 like all others. */
  handle(request: HttpRequest): Promise<HttpResponse>
  /** The account of a tenant; undefined where there is none of the name. */
  account(tenant: string): ReturnType<typeof accountView> | undefined
  /** The name of the tenant that has a lead; undefined where none has it. */
  tenantOf(leadId: string): Promise<string | undefined>
  /** Answers those who wait for something to happen: nothing more will. */
  endWaits(): void
  /** Ends all work that goes on by itself, and closes the storage. */
  close(): Promise<void>
}

/** Opens a sandbox over a storage. The demo tenant is there; kept tenants go on where they stood. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { storage, clock, timer, entropy, onError, access } = options
  const urls = createUrls(options.origin, basePath)
  const outbound = createGuardedEgress(options.dialer, options.allowedCallbackHosts)
  const now = () => clock.now()
  const metrics = createMetrics({ startedAt: now(), version: options.version ?? 'unknown' })
  const registry: TenantRegistry = createTenantRegistry({
    storage,
    realClock: clock,
    timer,
    urls,
    readLead: createLeadReader(options.compileShape),
    outbound,
    call: request => service(request),
    chanceSalt: options.chanceSalt ?? '',
    journalLimit: options.journalLimit ?? defaultJournalLimit,
    metrics,
    onError,
  })
  const onReply = (operation = 'none', status: number) => metrics.request(operation, status)
  const service: Handler = createService({ registry, timer, now, metrics, onReply, onError })
  const page = createPages({ registry, urls, access, metrics, documents: options.documents })
  const findNearMisses = createNearMissFinder(interpretation => describeShape(leadSubmission(interpretation)))
  const control = createControlPlane({ ...options, registry, urls, now, call: service, findNearMisses, onReply })
  await registry.open()
  await ensureDemo()

  /** On a shared host the demo tenant's keys must not be the documented ones. */
  async function ensureDemo(): Promise<void> {
    const shared = access.adminToken !== undefined
    const settings = options.profile === undefined ? {} : { profile: options.profile }
    const fresh = async () =>
      shared
        ? createTenant({ tenant: demoName, seed: toHex(entropy.bytes(16)), created_at: clock.now(), settings })
        : createDemoTenant(clock.now(), settings)
    if (!registry.find(demoName)) return void (await registry.add(await fresh()))
    await registry.change(demoName, async record => {
      const kept = (record.seed === demoName) === shared ? await fresh() : record
      const made = kept.made && { ...kept.made, settings: { ...kept.made.settings, ...settings } }
      return { record: { ...kept, settings: { ...kept.settings, ...settings }, made } }
    })
  }

  return {
    async handle(request) {
      try {
        const reply =
          (await service(request)) ?? (await control(withoutTrailingSlash(request))) ?? (await page(request))
        return reply ?? jsonResponse(noSuchPath.status, noSuchPath.body)
      } catch (fault) {
        onError(fault)
        return jsonResponse(pageFailed.status, pageFailed.body)
      }
    },
    account(name) {
      const tenant = registry.find(name)
      return tenant && accountView(tenant, urls)
    },
    tenantOf: async leadId => (await registry.findByLead(leadId))?.record.tenant,
    endWaits() {
      for (const { progress } of registry.list()) progress.end()
    },
    async close() {
      await registry.stop()
      await storage.close()
      options.dialer.close()
    },
  }
}

const defaultJournalLimit = 10_000

const noSuchPath = wireError(
  'not_found',
  `Nothing is here. The service stands below ${basePath}, the control plane below ${controlPath}.`,
)

const pageFailed = wireError('internal_error', 'Something went wrong in the sandbox. Try again later.')

/** `POST …/tenants/` is `POST …/tenants` in the control plane; the service takes its paths to the letter. */
function withoutTrailingSlash(request: HttpRequest): HttpRequest {
  return request.target.startsWith(controlPath)
    ? { ...request, target: request.target.replace(/^([^?]*)\/(?=$|\?)/, '$1') }
    : request
}
