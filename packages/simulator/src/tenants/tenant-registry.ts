import type { StreamOf } from '../storage/shared-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { StorageUnavailable, TenantGone } from '../storage/unavailable.ts'
import type { Timer } from '../time/clock.ts'
import { createSerialQueue, type SerialQueue } from '../time/locks.ts'
import {
  type BrokenTenants,
  type BrokenTenantsOptions,
  createBrokenTenants,
  createStoredTenants,
} from './broken-tenants.ts'
import type { ChangedTenant } from './change-tenant.ts'
import type { KeyHolder } from './create-tenant.ts'
import { createOpenTenants } from './open-tenants.ts'
import type { createSharedTenants, SharedTenants } from './shared-tenants.ts'
import type { Tenant, TenantDependencies } from './tenant.ts'
import type { StoredTenant } from './tenant-account.ts'

/** Every tenant of a sandbox, open, or broken. */
export interface TenantRegistry {
  /** Opens all stored tenants, and resumes their pending callbacks. One that cannot be opened is broken from then on. */
  open(): Promise<void>
  /**
   * To be awaited before tenants are looked for: takes over what other processes changed, so that it holds for the next
   * call. Left out where no other process has the storage.
   */
  readonly refresh?: (() => Promise<void>) | undefined
  /** As `refresh`, what other processes are about to commit or write to the journal of a tenant, null for all. */
  readonly settleElsewhere?: ((tenant: StreamOf) => Promise<void>) | undefined
  find(name: string): Tenant | undefined
  /** The tenants that could not be opened. */
  readonly broken: Omit<BrokenTenants, 'add' | 'remove'>
  /** Makes a broken tenant a new one of this record. */
  repair(record: TenantRecord): Promise<void>
  /** Whether a call of a tenant failed because the tenant was deleted meanwhile; one that was reset is still there. */
  isGone(tenant: Tenant, error: unknown): boolean
  /** The tenant whose ids a lead's id is one of, whether there is such a lead or not; asks no storage. */
  findByLead(leadId: string): Tenant | undefined
  findKey(apiKey: string): KeyHolder | undefined
  /** In the order of creation. */
  list(): Tenant[]
  /** Undefined where the name is taken. */
  add(record: TenantRecord): Promise<Tenant | undefined>
  /**
   * Replaces the record of a tenant by the one that `change` makes of it; its leads stay. Changes of one tenant wait
   * for each other, so that none is lost. Nothing is replaced where the change has issues.
   */
  change(name: string, change: (record: TenantRecord) => Promise<ChangedTenant>): Promise<ChangedTenant>
  /**
   * Makes a tenant what `change` stores and resolves to, while nothing else of it goes on. False where `change`
   * resolves to none: then nothing was changed.
   */
  restore(name: string, change: (record: TenantRecord) => Promise<StoredTenant | undefined>): Promise<boolean>
  /** Removes a tenant, open or broken. False where there is none. */
  remove(name: string): Promise<boolean>
  /** Stops all schedulers. A callback whose receiver does not answer stays due. */
  stop(): Promise<void>
}

/** How long callbacks under way may take once the sandbox is closing, milliseconds. */
const stopGraceMs = 2_000

/** An empty registry. `createShared` is needed where processes share the storage. */
export function createTenantRegistry(
  dependencies: TenantDependencies & BrokenTenantsOptions,
  createShared?: typeof createSharedTenants,
): TenantRegistry {
  const { storage, timer } = dependencies
  const open = createOpenTenants(dependencies)
  const broken = createBrokenTenants(dependencies)
  const { tenants } = open
  const sharing = storage.shared && createShared?.({ ...dependencies, shared: storage.shared, open, broken, endWork })
  const stored = createStoredTenants(dependencies, open, broken, sharing)
  const queues = createChangeQueues(tenants, sharing)
  const { inTurn } = queues

  return {
    async open() {
      if (sharing) return sharing.start()
      for (const listed of await storage.listTenants()) await stored.open(listed)
    },
    refresh: sharing?.refresh,
    settleElsewhere: sharing?.settleElsewhere,
    find: name => tenants.get(name),
    broken,
    repair: record => queues.alone(record.tenant, () => stored.repair(record)),
    isGone: (tenant, error) =>
      error instanceof TenantGone ||
      (!(error instanceof StorageUnavailable) && tenants.get(tenant.record.tenant) !== tenant),
    findByLead: open.byLeadPrefix.find,
    findKey: open.keys.find,
    list: () => [...tenants.values()].sort((a, b) => a.record.created_at - b.record.created_at),
    add: stored.add,
    change: (name, change) =>
      inTurn(name, async tenant => {
        const changed = await change(tenant.record)
        if (!changed.record) return changed
        await storage.replaceTenant(changed.record)
        open.replaceRecord(tenant, changed.record)
        return changed
      }),
    restore: (name, change) =>
      inTurn(name, async tenant => {
        const before = tenant.record
        const changeOpen = async () => (open.has(tenant) ? change(before) : undefined)
        const restored = await tenant.restore(() => (sharing ? sharing.replacing(tenant, changeOpen) : changeOpen()))
        open.replaceKeys(tenant, before)
        if (restored) tenant.announce('restored')
        return restored
      }),
    async remove(name) {
      const tenant = tenants.get(name)
      if (!tenant) return stored.removeBroken(name)
      // Calls that come meanwhile find no tenant, whichever way it ends.
      open.remove(tenant)
      try {
        await storage.deleteTenant(name)
      } catch (error) {
        open.register(tenant)
        throw error
      }
      queues.remove(name)
      open.announceDeleted(tenant)
      endWork(tenant)
      return true
    },
    async stop() {
      sharing?.stop()
      dependencies.events.end()
      await stopAll([...tenants.values()], timer)
      tenants.clear()
    },
  }
}

/** The changes of each tenant, one after the other, also those of other processes. */
function createChangeQueues(tenants: ReadonlyMap<string, Tenant>, sharing: SharedTenants | undefined) {
  const queues = new Map<string, SerialQueue>()
  function alone<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(name) ?? createSerialQueue()
    queues.set(name, queue)
    return queue(() => (sharing ? sharing.exclusive(name, run) : run()))
  }
  return {
    alone,
    inTurn: <Result>(name: string, run: (tenant: Tenant) => Promise<Result>): Promise<Result> =>
      alone(name, async () => {
        const tenant = tenants.get(name)
        if (!tenant) throw new Error(`There is no tenant ${name}.`)
        return run(tenant)
      }),
    remove: (name: string) => void queues.delete(name),
  }
}

/** Ends what a tenant that was deleted still does. */
function endWork({ scheduler, progress, journal, handOver }: Tenant): void {
  // Not awaited: a receiver may take long to answer a callback that is not wanted any more.
  void scheduler.stop()
  void handOver.stop()
  progress.end()
  journal.restore(0)
}

/** Stops the schedulers of tenants, and writes what their journals have. */
async function stopAll(tenants: readonly Tenant[], timer: Timer): Promise<void> {
  for (const { progress } of tenants) progress.end()
  const stopped = Promise.all(tenants.flatMap(({ scheduler, handOver }) => [scheduler.stop(), handOver.stop()]))
  const grace = Promise.withResolvers<void>()
  const cancel = timer.after(stopGraceMs, grace.resolve)
  await Promise.race([stopped, grace.promise])
  cancel()
  await Promise.all(tenants.map(({ journal }) => journal.flush()))
}
