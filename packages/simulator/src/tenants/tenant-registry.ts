import { accountOf } from './account-of.ts'
import type { ChangedTenant } from './change-tenant.ts'
import { createKeyDirectory, type KeyHolder } from './key-directory.ts'
import { storageUntil } from './storage-until.ts'
import { openTenant, type Tenant } from './tenant.ts'
import type { TenantRecord } from './tenant-record.ts'
import type { TenantWorld } from './tenant-world.ts'

/** Every tenant of a sandbox, at work. */
export interface TenantRegistry {
  /** Sets all kept tenants to work, and their pending callbacks on their way. */
  open(): Promise<void>
  find(name: string): Tenant | undefined
  /** The tenant that a lead belongs to. */
  findByLead(leadId: string): Promise<Tenant | undefined>
  findKey(apiKey: string): KeyHolder | undefined
  /** In the order of making. */
  list(): Tenant[]
  /** Undefined where the name is taken. */
  add(record: TenantRecord): Promise<Tenant | undefined>
  /**
   * Replaces what a tenant is by what `change` makes of it; its leads stay. Changes of one tenant wait for each
   * other, so that none is lost. Nothing is replaced where the change has issues.
   */
  change(name: string, change: (record: TenantRecord) => Promise<ChangedTenant>): Promise<ChangedTenant>
  /**
   * Makes a tenant what the storage has of it after `change`, which answers its record, while nothing else of it goes
   * on. False where `change` answers none: then nothing was changed.
   */
  putBack(name: string, change: (record: TenantRecord) => Promise<TenantRecord | undefined>): Promise<boolean>
  remove(name: string): Promise<boolean>
  /** Ends all work that goes on by itself. A callback whose receiver does not answer is left as it was: still due. */
  stop(): Promise<void>
}

/** How long callbacks under way may take once the sandbox is closing, milliseconds. */
const stopGraceMs = 2_000

/** An empty registry over a world. */
export function createTenantRegistry(world: TenantWorld): TenantRegistry {
  const { storage, urls } = world
  const tenants = new Map<string, Tenant>()
  const keys = createKeyDirectory()
  /** The last change of each tenant. */
  const changes = new Map<string, Promise<unknown>>()

  const isGone = (tenant: Tenant) => tenants.get(tenant.record.tenant) !== tenant

  async function setToWork(record: TenantRecord): Promise<Tenant> {
    let opened: Tenant | undefined
    const hasEnded = () => opened !== undefined && isGone(opened)
    const tenant = await openTenant(record, {
      ...world,
      storage: storageUntil(storage, hasEnded),
      // What a tenant leaves unfinished when it is removed is no fault.
      onError: fault => hasEnded() || world.onError(fault),
    })
    tenants.set(record.tenant, tenant)
    opened = tenant
    keys.add(record)
    return tenant
  }

  /** Takes the keys of a tenant for those of its record, in place of those that it had before. */
  function changeKeys(tenant: Tenant, before: TenantRecord): void {
    if (isGone(tenant)) throw new Error(`The tenant ${before.tenant} was deleted meanwhile.`)
    keys.remove(before)
    keys.add(tenant.record)
  }

  async function replace(tenant: Tenant, record: TenantRecord): Promise<void> {
    const before = tenant.record
    await storage.replaceTenant(record)
    tenant.record = record
    changeKeys(tenant, before)
    tenant.account = accountOf(record, urls)
    tenant.work.wake()
  }

  /** Runs one change of a tenant after the other. */
  function inTurn<Outcome>(name: string, run: (tenant: Tenant) => Promise<Outcome>): Promise<Outcome> {
    const turn = (changes.get(name) ?? Promise.resolve()).then(() => {
      const tenant = tenants.get(name)
      if (!tenant) throw new Error(`There is no tenant ${name}.`)
      return run(tenant)
    })
    changes.set(
      name,
      turn.catch(() => undefined),
    )
    return turn
  }

  async function hasLead(tenant: Tenant, leadId: string): Promise<boolean> {
    try {
      return (await tenant.storage.transact(tables => tables.findLead(leadId))) !== undefined
    } catch (fault) {
      if (isGone(tenant)) return false
      throw fault
    }
  }

  return {
    async open() {
      for (const record of await storage.listTenants()) (await setToWork(record)).work.wake()
    },
    find: name => tenants.get(name),
    async findByLead(leadId) {
      for (const tenant of tenants.values()) {
        if (tenant.mayHaveGiven(leadId) && (await hasLead(tenant, leadId))) return tenant
      }
      return undefined
    },
    findKey: apiKey => keys.find(apiKey),
    list: () => [...tenants.values()],
    async add(record) {
      return (await storage.addTenant(record)) ? setToWork(record) : undefined
    },
    change: (name, change) =>
      inTurn(name, async tenant => {
        const changed = await change(tenant.record)
        if (changed.record) await replace(tenant, changed.record)
        return changed
      }),
    putBack: (name, change) =>
      inTurn(name, async tenant => {
        const before = tenant.record
        await tenant.putBack(async () => (isGone(tenant) ? undefined : await change(before)) ?? before)
        changeKeys(tenant, before)
        return tenant.record !== before
      }),
    async remove(name) {
      const tenant = tenants.get(name)
      if (!tenant) return false
      tenants.delete(name)
      keys.remove(tenant.record)
      changes.delete(name)
      // Not waited for: a receiver may take long to answer a callback that nobody asks for any more.
      void tenant.work.stop()
      tenant.progress.end()
      tenant.journal.put(0, {})
      await storage.deleteTenant(name)
      return true
    },
    async stop() {
      for (const { progress } of tenants.values()) progress.end()
      const stopped = Promise.all([...tenants.values()].map(({ work }) => work.stop()))
      const given = Promise.withResolvers<void>()
      const cancel = world.timer.after(stopGraceMs, given.resolve)
      await Promise.race([stopped, given.promise])
      cancel()
      await Promise.all([...tenants.values()].map(({ journal }) => journal.flush()))
      tenants.clear()
    },
  }
}
