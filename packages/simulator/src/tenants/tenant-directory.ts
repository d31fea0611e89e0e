import { equalText } from '@lead-distribution/contract'
import { prefixLength } from '../random/seeded-random.ts'
import type { TenantRecord, TokenRecord } from '../storage/tenant-record.ts'
import { accountOf, type StoredTenant } from './account.ts'
import type { BrokenTenant } from './broken-tenants.ts'
import { openTenant, type Tenant, type TenantDependencies } from './runtime.ts'
import type { OpenedShared } from './sharing.ts'
import { type KeyHolder, publicPart } from './tenant-identity.ts'

/** The tenant with a name: open or broken. */
interface Entry {
  readonly open?: Tenant
  readonly broken?: BrokenTenant
}

/** All tenants of a sandbox, by name, key and lead. Every opening, change and end of a tenant goes through here. */
export type TenantDirectory = ReturnType<typeof createTenantDirectory>

export function createTenantDirectory(dependencies: TenantDependencies) {
  const { urls, mayKeepFull, events, onExpiry } = dependencies
  const entries = new Map<string, Entry>()
  const keys = createKeyDirectory()
  const byLeadPrefix = createPrefixIndex()
  const all = <Kind extends keyof Entry>(kind: Kind) => [...entries.values()].flatMap(entry => entry[kind] ?? [])
  const find = (name: string): Tenant | undefined => entries.get(name)?.open

  function noteExpiry({ expires_at }: TenantRecord): void {
    if (expires_at !== undefined) onExpiry(expires_at)
  }

  function put(name: string, entry: Entry): void {
    remove(name)
    entries.set(name, entry)
    const record = recordOf(entry)
    if (!record) return
    keys.add(record)
    noteExpiry(record)
  }

  /** Removes the tenant with a name. An open tenant ends. */
  function remove(name: string): void {
    const entry = entries.get(name) ?? {}
    const record = recordOf(entry)
    if (record) keys.remove(record)
    if (entry.open) {
      entry.open.hasEnded = true
      byLeadPrefix.remove(entry.open)
    }
    entries.delete(name)
  }

  /** Registers an open tenant, or restores one after a failed removal. */
  function register(tenant: Tenant): void {
    put(tenant.record.tenant, { open: tenant })
    tenant.hasEnded = false
    byLeadPrefix.add(tenant)
  }

  /** Replaces the registered keys of a tenant. */
  function replaceKeys(tenant: Tenant, before: TenantRecord): void {
    if (tenant.hasEnded) throw new Error(`The tenant ${before.tenant} was deleted in the meantime.`)
    keys.remove(before)
    keys.add(tenant.record)
    noteExpiry(tenant.record)
  }

  function announceDeleted(tenant: Tenant): void {
    tenant.announce('deleted')
    events.remove(tenant.record.tenant)
  }

  return {
    find,
    /** Returns the open tenants. */
    list: () => all('open'),
    findKey: keys.find,
    holderOf: keys.holderOf,
    findByLead: byLeadPrefix.find,
    broken: {
      find: (name: string) => entries.get(name)?.broken,
      list: () => all('broken'),
      findByLead: (leadId: string) => all('broken').find(({ leadIds }) => leadIds?.includes(leadId)),
    },
    addBroken: (broken: BrokenTenant) => put(broken.tenant, { broken }),
    register,
    remove,
    replaceKeys,
    announceDeleted,
    /** Opens a tenant, in place of any with its name. */
    async open(stored: StoredTenant, opened?: OpenedShared): Promise<Tenant> {
      const tenant = await openTenant(stored, dependencies, opened)
      // Until then, calls find the old tenant, so that there is no gap.
      const before = find(tenant.record.tenant)
      register(tenant)
      // Resets and restores keep the creation time.
      const isRestored = before?.record.created_at === tenant.record.created_at
      if (before && !isRestored) announceDeleted(before)
      tenant.announce(isRestored ? 'restored' : 'created')
      if (before && isRestored) endRevoked(before.record, tenant.record)
      return tenant
    },
    replaceRecord(tenant: Tenant, record: TenantRecord): void {
      const before = tenant.record
      if (JSON.stringify(before) === JSON.stringify(record)) return
      tenant.record = record
      replaceKeys(tenant, before)
      tenant.account = accountOf(record, urls, mayKeepFull)
      tenant.worker.wake()
      tenant.announce('changed')
      endRevoked(before, record)
    },
  }

  /** Ends the streams of a tenant after a token was revoked, because streams check their token only when opened. */
  function endRevoked(before: TenantRecord, { tokens = [] }: TenantRecord): void {
    const isRevoked = ({ token_id }: TokenRecord) => !tokens.some(token => token.token_id === token_id)
    if (before.tokens?.some(isRevoked)) events.remove(before.tenant)
  }
}

function recordOf({ open, broken }: Entry): TenantRecord | undefined {
  return (open ?? broken)?.record
}

/** Creates an index of tenants by lead id prefix. The full id tells apart the few that share a prefix. */
function createPrefixIndex() {
  const byPrefix = new Map<string, readonly Tenant[]>()
  const of = (prefix: string) => byPrefix.get(prefix) ?? []
  return {
    find: (leadId: string) => of(leadId.slice(0, prefixLength)).find(({ ids }) => ids.lead.includes(leadId)),
    add: (tenant: Tenant) => byPrefix.set(tenant.ids.lead.prefix, [...of(tenant.ids.lead.prefix), tenant]),
    remove(tenant: Tenant) {
      const { prefix } = tenant.ids.lead
      const others = of(prefix).filter(other => other !== tenant)
      if (others.length > 0) byPrefix.set(prefix, others)
      else byPrefix.delete(prefix)
    },
  }
}

/** Creates the directory of all API keys. Finds keys by their public part and compares them in constant time. */
export function createKeyDirectory() {
  const holders = new Map<string, KeyHolder & { readonly apiKey: string }>()
  /** Finds the holder of a key by its public part, including keys chosen for an advertiser that was removed. */
  const holderOf = (apiKey: string): KeyHolder | undefined => holders.get(publicPart(apiKey))
  return {
    add({ tenant, publisher, advertisers, credentials }: TenantRecord): void {
      // These keys are reserved, but not valid until the advertiser is added again.
      for (const { advertiser_id, api_key } of credentials?.advertisers ?? [])
        if (api_key) holders.set(publicPart(api_key), { tenant, scope: 'advertiser', advertiser_id, apiKey: '' })
      holders.set(publicPart(publisher.api_key), { tenant, scope: 'publisher', apiKey: publisher.api_key })
      for (const { advertiser_id, api_key } of advertisers)
        holders.set(publicPart(api_key), { tenant, scope: 'advertiser', advertiser_id, apiKey: api_key })
    },
    remove({ tenant, publisher, advertisers, credentials }: TenantRecord): void {
      for (const { api_key } of [publisher, ...advertisers, ...(credentials?.advertisers ?? [])])
        if (api_key && holderOf(api_key)?.tenant === tenant) holders.delete(publicPart(api_key))
    },
    find(apiKey: string): KeyHolder | undefined {
      const holder = holders.get(publicPart(apiKey))
      return holder && holder.apiKey !== '' && equalText(apiKey, holder.apiKey) ? holder : undefined
    },
    holderOf,
  }
}
