import { prefixLength } from '../random/seeded-random.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { SharedTenant } from '../storage/shared-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { createKeyDirectory } from './create-tenant.ts'
import { openTenant, type Tenant, type TenantDependencies } from './tenant.ts'
import { accountOf, type StoredTenant } from './tenant-account.ts'
import { createTenantEvents } from './tenant-events.ts'
import type { Sharing } from './tenant-sharing.ts'

type OpenedOf = Pick<SharedTenant, 'content' | 'version'> & { readonly sharing: Sharing }

/** What is open of the tenants. */
export type OpenTenants = ReturnType<typeof createOpenTenants>

/** The tenants that are open, found by name, key and lead. */
export function createOpenTenants(dependencies: TenantDependencies) {
  const { storage, urls } = dependencies
  const announce = createTenantEvents(dependencies.events)
  const tenants = new Map<string, Tenant>()
  const keys = createKeyDirectory()
  const byLeadPrefix = createPrefixIndex()
  const noteExpiry = ({ expires_at }: TenantRecord) => expires_at === undefined || dependencies.onExpiry(expires_at)
  const has = (tenant: Tenant) => tenants.get(tenant.record.tenant) === tenant

  /** Registers the keys of a tenant's record in place of those that it had before. */
  function replaceKeys(tenant: Tenant, before: TenantRecord): void {
    if (!has(tenant)) throw new Error(`The tenant ${before.tenant} was deleted meanwhile.`)
    keys.remove(before)
    keys.add(tenant.record)
  }

  function register(tenant: Tenant): void {
    noteExpiry(tenant.record)
    tenants.set(tenant.record.tenant, tenant)
    keys.add(tenant.record)
    byLeadPrefix.add(tenant)
  }

  function remove(tenant: Tenant): void {
    tenants.delete(tenant.record.tenant)
    keys.remove(tenant.record)
    byLeadPrefix.remove(tenant)
  }

  return {
    tenants,
    has,
    replaceKeys,
    keys,
    byLeadPrefix,
    /** Opens a tenant; `shared` is which one it is where processes share the storage. */
    async add(stored: StoredTenant, shared?: OpenedOf): Promise<Tenant> {
      let opened: Tenant | undefined
      const hasEnded = () => opened !== undefined && !has(opened)
      const tenant = await openTenant(stored, {
        ...dependencies,
        sharing: shared?.sharing,
        storage: storageUntil(storage, hasEnded, shared && (() => (opened ?? shared).content)),
        // What a tenant leaves unfinished when it is removed is no error.
        onError: error => hasEnded() || dependencies.onError(error),
      })
      opened = Object.assign(tenant, { content: shared?.content, version: shared?.version })
      // The one that it replaces is found until then: no call finds none.
      const before = tenants.get(tenant.record.tenant)
      if (before) remove(before)
      register(tenant)
      announce.opened(tenant, before)
      return tenant
    },
    register,
    announceDeleted: announce.deleted,
    replaceRecord(tenant: Tenant, record: TenantRecord): void {
      const before = tenant.record
      if (JSON.stringify(before) === JSON.stringify(record)) return
      tenant.record = record
      replaceKeys(tenant, before)
      tenant.account = accountOf(record, urls)
      tenant.scheduler.wake()
      noteExpiry(record)
      announce.changed(tenant, before)
    },
    remove,
  }
}

/** Tenants by the prefix of their leads' ids; the few that share one differ by the whole id. */
function createPrefixIndex() {
  const byPrefix = new Map<string, readonly Tenant[]>()
  const of = (prefix: string) => byPrefix.get(prefix) ?? []
  return {
    find: (leadId: string) => of(leadId.slice(0, prefixLength)).find(({ ids }) => ids.lead.includes(leadId)),
    add: (tenant: Tenant) => byPrefix.set(tenant.ids.lead.prefix, [...of(tenant.ids.lead.prefix), tenant]),
    remove(tenant: Tenant) {
      const { prefix } = tenant.ids.lead
      const others = of(prefix).filter(other => other !== tenant)
      byPrefix.set(prefix, others)
    },
  }
}

/**
 * A storage for one tenant, until it has ended: from then on nothing of it is written any more, because another tenant
 * may have its name by then. What was begun before is finished.
 */
export function storageUntil(
  storage: SandboxStorage,
  hasEnded: () => boolean,
  expected?: () => string | undefined,
): SandboxStorage {
  return {
    ...storage,
    of(tenant) {
      const { transact } = storage.of(tenant, expected)
      // Where processes share the storage it looks itself whether there is a tenant, and another one.
      const ended = async () => {
        if (expected) await transact(async () => undefined)
        throw new Error(`The tenant ${tenant} was deleted.`)
      }
      return { transact: work => (hasEnded() ? ended() : transact(work)) }
    },
  }
}
