import { equalText } from '@lead-distribution/contract'
import { prefixLength } from '../random/seeded-random.ts'
import type { TenantRecord, TokenRecord } from '../storage/tenant-record.ts'
import type { EventHub } from '../stream/event-hub.ts'
import { accountOf, type StoredTenant } from './account.ts'
import { type OpenedShared, openTenant, type Tenant, type TenantDependencies } from './runtime.ts'
import { type KeyHolder, publicPart } from './tenant-identity.ts'
import { expiryOfSnapshot } from './undo.ts'

export type OpenTenants = ReturnType<typeof createOpenTenants>

/** The tenants that are open, found by name, key and lead. Whatever opens, changes or ends one comes here. */
export function createOpenTenants(dependencies: TenantDependencies) {
  const { urls, events } = dependencies
  const tenants = new Map<string, Tenant>()
  const keys = createKeyDirectory()
  const byLeadPrefix = createPrefixIndex()

  function noteExpiry({ expires_at, undo_snapshots = [] }: TenantRecord): void {
    if (expires_at !== undefined) dependencies.onExpiry(expires_at)
    for (const snapshot of undo_snapshots) dependencies.onExpiry(expiryOfSnapshot(snapshot))
  }

  /** Registers the keys of a tenant's record in place of those that it had before. */
  function replaceKeys(tenant: Tenant, before: TenantRecord): void {
    if (tenant.hasEnded) throw new Error(`The tenant ${before.tenant} was deleted meanwhile.`)
    keys.remove(before)
    keys.add(tenant.record)
    noteExpiry(tenant.record)
  }

  function register(tenant: Tenant): void {
    tenant.hasEnded = false
    noteExpiry(tenant.record)
    tenants.set(tenant.record.tenant, tenant)
    keys.add(tenant.record)
    byLeadPrefix.add(tenant)
  }

  function remove(tenant: Tenant): void {
    tenant.hasEnded = true
    tenants.delete(tenant.record.tenant)
    keys.remove(tenant.record)
    byLeadPrefix.remove(tenant)
  }

  function announceDeleted(tenant: Tenant): void {
    tenant.announce('deleted')
    events.remove(tenant.record.tenant)
  }

  return {
    tenants,
    replaceKeys,
    findKey: keys.find,
    holderOf: keys.holderOf,
    findByLead: byLeadPrefix.find,
    /** Opens a tenant in place of the one that had its name. */
    async add(stored: StoredTenant, opened?: OpenedShared): Promise<Tenant> {
      const tenant = await openTenant(stored, dependencies, opened)
      // The one that it replaces is found until then: no call finds none.
      const before = tenants.get(tenant.record.tenant)
      if (before) remove(before)
      register(tenant)
      // A reset or a snapshot keeps the time of creation.
      const isRestored = before?.record.created_at === tenant.record.created_at
      if (before && !isRestored) announceDeleted(before)
      tenant.announce(isRestored ? 'restored' : 'created')
      if (before && isRestored) endRevoked(events, before.record, tenant.record)
      return tenant
    },
    register,
    remove,
    announceDeleted,
    replaceRecord(tenant: Tenant, record: TenantRecord): void {
      const before = tenant.record
      if (JSON.stringify(before) === JSON.stringify(record)) return
      tenant.record = record
      replaceKeys(tenant, before)
      tenant.account = accountOf(record, urls)
      tenant.scheduler.wake()
      tenant.announce('changed')
      endRevoked(events, before, record)
    },
  }
}

/** Ends the streams of a tenant that lost a token: a stream checks its token only when it is opened. */
function endRevoked(events: EventHub, before: TenantRecord, { tokens = [] }: TenantRecord): void {
  const isRevoked = ({ token_id }: TokenRecord) => !tokens.some(token => token.token_id === token_id)
  if (before.tokens?.some(isRevoked)) events.remove(before.tenant)
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

/** Knows every API key that was made or chosen here. */
export interface KeyDirectory {
  add(record: TenantRecord): void
  remove(record: TenantRecord): void
  find(apiKey: string): KeyHolder | undefined
  /** Finds the holder of a key whose secret part may be another, also of one that was chosen for an advertiser that is gone. */
  holderOf(apiKey: string): KeyHolder | undefined
}

/** An empty directory. Keys are found by their public part and compared in constant time. */
export function createKeyDirectory(): KeyDirectory {
  const holders = new Map<string, KeyHolder & { readonly apiKey: string }>()
  const holderOf = (apiKey: string) => holders.get(publicPart(apiKey))
  return {
    add({ tenant, publisher, advertisers, credentials }) {
      // They are nobody's until the advertiser is back.
      for (const { advertiser_id, api_key } of credentials?.advertisers ?? [])
        if (api_key) holders.set(publicPart(api_key), { tenant, scope: 'advertiser', advertiser_id, apiKey: '' })
      holders.set(publicPart(publisher.api_key), { tenant, scope: 'publisher', apiKey: publisher.api_key })
      for (const { advertiser_id, api_key } of advertisers)
        holders.set(publicPart(api_key), { tenant, scope: 'advertiser', advertiser_id, apiKey: api_key })
    },
    remove({ tenant, publisher, advertisers, credentials }) {
      for (const { api_key } of [publisher, ...advertisers, ...(credentials?.advertisers ?? [])])
        if (api_key && holderOf(api_key)?.tenant === tenant) holders.delete(publicPart(api_key))
    },
    find(apiKey) {
      const holder = holderOf(apiKey)
      return holder && holder.apiKey !== '' && equalText(apiKey, holder.apiKey) ? holder : undefined
    },
    holderOf,
  }
}
