import { prefixLength } from '../random/seeded-random.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Timer } from '../time/clock.ts'
import { createSerialQueue, type SerialQueue } from '../time/locks.ts'
import type { ChangedTenant } from './change-tenant.ts'
import { createKeyDirectory, type KeyHolder } from './create-tenant.ts'
import { openTenant, type Tenant, type TenantDependencies } from './tenant.ts'
import { accountOf } from './tenant-account.ts'

/** Every tenant of a sandbox, open. */
export interface TenantRegistry {
  /** Opens all stored tenants, and resumes their pending callbacks. */
  open(): Promise<void>
  find(name: string): Tenant | undefined
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
   * Makes a tenant what is stored of it after `change`, which resolves to its record, while nothing else of it goes
   * on. False where `change` resolves to none: then nothing was changed.
   */
  restore(name: string, change: (record: TenantRecord) => Promise<TenantRecord | undefined>): Promise<boolean>
  remove(name: string): Promise<boolean>
  /** Stops all schedulers. A callback whose receiver does not answer stays due. */
  stop(): Promise<void>
}

/** How long callbacks under way may take once the sandbox is closing, milliseconds. */
const stopGraceMs = 2_000

/** An empty registry. */
export function createTenantRegistry(dependencies: TenantDependencies): TenantRegistry {
  const { storage, timer } = dependencies
  const open = createOpenTenants(dependencies)
  const { tenants } = open
  /** The changes of each tenant, one after the other. */
  const queues = new Map<string, SerialQueue>()
  const inTurn = <Result>(name: string, run: (tenant: Tenant) => Promise<Result>): Promise<Result> => {
    const queue = queues.get(name) ?? createSerialQueue()
    queues.set(name, queue)
    return queue(() => {
      const tenant = tenants.get(name)
      if (!tenant) throw new Error(`There is no tenant ${name}.`)
      return run(tenant)
    })
  }

  return {
    async open() {
      for (const record of await storage.listTenants()) (await open.add(record)).scheduler.wake()
    },
    find: name => tenants.get(name),
    findByLead: open.byLeadPrefix.find,
    findKey: open.keys.find,
    list: () => [...tenants.values()],
    async add(record) {
      return (await storage.addTenant(record)) ? open.add(record) : undefined
    },
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
        await tenant.restore(async () => (open.has(tenant) ? await change(before) : undefined) ?? before)
        open.replaceKeys(tenant, before)
        return tenant.record !== before
      }),
    async remove(name) {
      const tenant = tenants.get(name)
      if (!tenant) return false
      open.remove(tenant)
      queues.delete(name)
      // Not awaited: a receiver may take long to answer a callback that is not wanted any more.
      void tenant.scheduler.stop()
      tenant.progress.end()
      tenant.journal.restore(0, {})
      await storage.deleteTenant(name)
      return true
    },
    async stop() {
      await stopAll([...tenants.values()], timer)
      tenants.clear()
    },
  }
}

/** The tenants that are open, found by name, key and lead. */
function createOpenTenants(dependencies: TenantDependencies) {
  const { storage, urls } = dependencies
  const tenants = new Map<string, Tenant>()
  const keys = createKeyDirectory()
  const byLeadPrefix = createPrefixIndex()
  const has = (tenant: Tenant) => tenants.get(tenant.record.tenant) === tenant

  /** Registers the keys of a tenant's record in place of those that it had before. */
  function replaceKeys(tenant: Tenant, before: TenantRecord): void {
    if (!has(tenant)) throw new Error(`The tenant ${before.tenant} was deleted meanwhile.`)
    keys.remove(before)
    keys.add(tenant.record)
  }

  return {
    tenants,
    has,
    replaceKeys,
    keys,
    byLeadPrefix,
    async add(record: TenantRecord): Promise<Tenant> {
      let opened: Tenant | undefined
      const hasEnded = () => opened !== undefined && !has(opened)
      const tenant = await openTenant(record, {
        ...dependencies,
        storage: storageUntil(storage, hasEnded),
        // What a tenant leaves unfinished when it is removed is no error.
        onError: error => hasEnded() || dependencies.onError(error),
      })
      tenants.set(record.tenant, tenant)
      opened = tenant
      keys.add(record)
      byLeadPrefix.add(tenant)
      return tenant
    },
    replaceRecord(tenant: Tenant, record: TenantRecord): void {
      const before = tenant.record
      tenant.record = record
      replaceKeys(tenant, before)
      tenant.account = accountOf(record, urls)
      tenant.scheduler.wake()
    },
    remove(tenant: Tenant): void {
      tenants.delete(tenant.record.tenant)
      keys.remove(tenant.record)
      byLeadPrefix.remove(tenant)
    },
  }
}

/** Stops the schedulers of tenants, and writes what their journals have. */
async function stopAll(tenants: readonly Tenant[], timer: Timer): Promise<void> {
  for (const { progress } of tenants) progress.end()
  const stopped = Promise.all(tenants.map(({ scheduler }) => scheduler.stop()))
  const grace = Promise.withResolvers<void>()
  const cancel = timer.after(stopGraceMs, grace.resolve)
  await Promise.race([stopped, grace.promise])
  cancel()
  await Promise.all(tenants.map(({ journal }) => journal.flush()))
}

/** Tenants by the prefix of their leads' ids; the few that share one differ by the whole id. */
function createPrefixIndex() {
  const byPrefix = new Map<string, readonly Tenant[]>()
  const of = (prefix: string) => byPrefix.get(prefix) ?? []
  return {
    find: (leadId: string) => of(leadId.slice(0, prefixLength)).find(({ leadIds }) => leadIds.includes(leadId)),
    add: (tenant: Tenant) => byPrefix.set(tenant.leadIds.prefix, [...of(tenant.leadIds.prefix), tenant]),
    remove(tenant: Tenant) {
      const { prefix } = tenant.leadIds
      const others = of(prefix).filter(other => other !== tenant)
      byPrefix.set(prefix, others)
    },
  }
}

/**
 * A storage for one tenant, until it has ended: from then on nothing of it is written any more, because another tenant
 * may have its name by then. What was begun before is finished.
 */
export function storageUntil(storage: SandboxStorage, hasEnded: () => boolean): SandboxStorage {
  return {
    ...storage,
    of(tenant) {
      const { transact } = storage.of(tenant)
      return {
        transact: work =>
          hasEnded() ? Promise.reject(new Error(`The tenant ${tenant} was deleted.`)) : transact(work),
      }
    },
  }
}
