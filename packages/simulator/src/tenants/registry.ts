import { StorageUnavailable, TenantGone } from '../storage/storage-unavailable.ts'
import type { ListedTenant, TenantRecord } from '../storage/tenant-record.ts'
import type { Timer } from '../time/clock.ts'
import { createSerialQueue, type SerialQueue } from '../time/locks.ts'
import { newTenant, type StoredTenant } from './account.ts'
import { type BrokenTenantOptions, breakTenant, readStored } from './broken-tenants.ts'
import type { ChangedTenant } from './change-tenant.ts'
import type { Tenant, TenantDependencies } from './runtime.ts'
import type { createSharedTenants, SharedTenants } from './shared-tenants.ts'
import { createTenantDirectory, type TenantDirectory } from './tenant-directory.ts'

/** All tenants of a sandbox, open or broken. */
export interface TenantRegistry
  extends Pick<TenantDirectory, 'find' | 'findByLead' | 'findKey' | 'holderOf' | 'broken'> {
  /**
   * Opens all stored tenants and resumes their pending callbacks. Tenants that cannot be opened are broken from then on.
   */
  open(): Promise<void>
  /** Applies other processes' changes; await it first. Undefined if no process shares the storage. */
  readonly refresh?: (() => Promise<void>) | undefined
  /** Replaces a broken tenant with a new one with this record. */
  repair(record: TenantRecord): Promise<void>
  /** Returns true if a call failed because its tenant was deleted. A tenant that was reset still exists. */
  isGone(tenant: Tenant, error: unknown): boolean
  /** Serializes functions that choose keys, across all processes, so that two tenants never get the same key. */
  choosingKeys<Result>(run: () => Promise<Result>): Promise<Result>
  /** In the order of creation. */
  list(): Tenant[]
  /** Adds a tenant. Resolves to undefined if the name is taken. */
  add(record: TenantRecord): Promise<Tenant | undefined>
  /** Replaces a tenant's record with the one that `change` returns. Changes to one tenant are serialized. */
  change(name: string, change: (record: TenantRecord) => Promise<ChangedTenant>): Promise<ChangedTenant>
  /** Replaces a tenant with the one that `change` stores, with exclusive access. Resolves to false if it stores nothing. */
  restore(name: string, change: (record: TenantRecord) => Promise<StoredTenant | undefined>): Promise<boolean>
  /** Removes an open or broken tenant. Resolves to false if there is none. */
  remove(name: string): Promise<boolean>
  /** Stops all workers. A callback whose receiver does not respond stays due. */
  stop(): Promise<void>
}

/** How long a closing sandbox waits for callbacks in flight, in milliseconds. */
const stopGraceMs = 2_000

/** Creates an empty registry. `createShared` is needed if processes share the storage. */
export function createTenantRegistry(
  options: Omit<TenantDependencies, 'changeTenant'> & BrokenTenantOptions,
  createShared?: typeof createSharedTenants,
): TenantRegistry {
  const dependencies = { ...options, changeTenant: change }
  const { storage, waitTimer } = dependencies
  const directory = createTenantDirectory(dependencies)
  const { find, broken } = directory
  const sharing = storage.shared && createShared?.({ ...dependencies, shared: storage.shared, directory, endWork })
  const queues = createChangeQueues(find, sharing)
  const { inTurn } = queues
  /** Signals readers in other processes. Errors don't matter, because the change is already done. */
  const notifyReaders = async () => sharing?.refresh().catch(dependencies.onError)

  function change(name: string, change: (record: TenantRecord) => Promise<ChangedTenant>): Promise<ChangedTenant> {
    return inTurn(name, async tenant => {
      const changed = await change(tenant.record)
      if (!changed.record) return changed
      await storage.replaceTenant(changed.record)
      directory.replaceRecord(tenant, changed.record)
      await notifyReaders()
      return changed
    })
  }

  async function openStored(listed: ListedTenant): Promise<void> {
    try {
      const stored = await readStored(listed, storage.of(listed.tenant), dependencies.shapes)
      const { worker } = await directory.open(stored)
      worker.wake()
    } catch (error) {
      // A storage failure doesn't make the tenant broken.
      if (error instanceof StorageUnavailable) throw error
      directory.addBroken(await breakTenant(listed, error, dependencies))
    }
  }

  /** Ends a tenant with `store`. Calls no longer find the tenant, unless `store` fails. */
  async function end(tenant: Tenant, store: () => Promise<void>): Promise<void> {
    directory.remove(tenant.record.tenant)
    try {
      await store()
    } catch (error) {
      directory.register(tenant)
      throw error
    }
    directory.announceDeleted(tenant)
    endWork(tenant)
  }

  return {
    async open() {
      if (sharing) return sharing.start()
      for (const listed of await storage.listTenants()) await openStored(listed)
    },
    refresh: sharing?.refresh,
    find,
    findKey: directory.findKey,
    findByLead: directory.findByLead,
    holderOf: directory.holderOf,
    broken,
    repair: record =>
      queues.alone(record.tenant, async () => {
        if (!broken.find(record.tenant)) return
        await storage.clearTenant(record)
        if (sharing) await sharing.refresh()
        else await directory.open(newTenant(record))
      }),
    isGone: (tenant, error) =>
      error instanceof TenantGone || (!(error instanceof StorageUnavailable) && find(tenant.record.tenant) !== tenant),
    choosingKeys: sharing?.choosingKeys ?? createSerialQueue(),
    list: () => directory.list().sort((a, b) => a.record.created_at - b.record.created_at),
    async add(record) {
      const added = await storage.addTenant(record)
      await sharing?.refresh()
      if (!added) return undefined
      return sharing ? find(record.tenant) : directory.open(newTenant(record))
    },
    change,
    restore: (name, change) =>
      inTurn(name, async tenant => {
        const before = tenant.record
        const changeOpen = async () => (tenant.hasEnded ? undefined : change(before))
        const restored = await tenant.restore(() => (sharing ? sharing.replacing(tenant, changeOpen) : changeOpen()))
        directory.replaceKeys(tenant, before)
        if (restored) tenant.announce('restored')
        return restored
      }),
    async remove(name) {
      const tenant = find(name)
      if (tenant) {
        await end(tenant, () => storage.deleteTenant(name))
        await notifyReaders()
        return true
      }
      if (!broken.find(name)) return false
      await storage.deleteTenant(name)
      // Another process may have created a tenant with the same name, which is already open here.
      if (!find(name)) directory.remove(name)
      return true
    },
    async stop() {
      sharing?.stop()
      dependencies.events.end()
      const all = directory.list()
      await stopAll(all, waitTimer)
      for (const { record } of all) directory.remove(record.tenant)
    },
  }
}

/** Serializes the changes to each tenant, across processes. */
function createChangeQueues(find: (name: string) => Tenant | undefined, sharing: SharedTenants | undefined) {
  const queues = new Map<string, { readonly run: SerialQueue; waiting: number }>()
  async function alone<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(name) ?? { run: createSerialQueue(), waiting: 0 }
    queues.set(name, queue)
    queue.waiting += 1
    try {
      return await queue.run(() => (sharing ? sharing.exclusive(name, run) : run()))
    } finally {
      queue.waiting -= 1
      // Clients can send any name, so an unused queue must not stay.
      if (queue.waiting === 0) queues.delete(name)
    }
  }
  return {
    alone,
    inTurn: <Result>(name: string, run: (tenant: Tenant) => Promise<Result>): Promise<Result> =>
      alone(name, async () => {
        const tenant = find(name)
        if (!tenant) throw new Error(`There is no tenant ${name}.`)
        return run(tenant)
      }),
  }
}

function endWork({ worker, progress, journal, forwarding }: Tenant): void {
  // Not awaited: a receiver may be slow to respond to an obsolete callback.
  void worker.stop()
  void forwarding.stop()
  progress.end()
  journal.restore(0)
}

/** Stops the tenants' workers and writes their journals. */
async function stopAll(tenants: readonly Tenant[], timer: Timer): Promise<void> {
  for (const { progress } of tenants) progress.end()
  const stopped = Promise.all(tenants.flatMap(({ worker, forwarding }) => [worker.stop(), forwarding.stop()]))
  const grace = Promise.withResolvers<void>()
  const cancel = timer.after(stopGraceMs, grace.resolve)
  await Promise.race([stopped, grace.promise])
  cancel()
  await Promise.all(tenants.map(({ journal }) => journal.end()))
}
