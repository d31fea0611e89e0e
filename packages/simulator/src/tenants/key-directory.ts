import { equalText } from '@lead-distribution/contract'
import type { TenantRecord } from './tenant-record.ts'

/** Whose an API key is. */
export interface KeyHolder {
  readonly tenant: string
  readonly scope: 'publisher' | 'advertiser'
  /** Only of an advertiser's key. */
  readonly advertiser_id?: string
}

/** Knows every API key that was made here; a key that was not is refused. */
export interface KeyDirectory {
  /** Takes the keys of a tenant in. */
  add(record: TenantRecord): void
  /** Forgets the keys of a tenant. */
  remove(record: TenantRecord): void
  find(apiKey: string): KeyHolder | undefined
}

/** An empty directory. Keys are found by their public part and compared in constant time. */
export function createKeyDirectory(): KeyDirectory {
  const holders = new Map<string, KeyHolder & { readonly apiKey: string }>()
  return {
    add({ tenant, publisher, advertisers }) {
      holders.set(publicPart(publisher.api_key), { tenant, scope: 'publisher', apiKey: publisher.api_key })
      for (const { advertiser_id, api_key } of advertisers)
        holders.set(publicPart(api_key), { tenant, scope: 'advertiser', advertiser_id, apiKey: api_key })
    },
    remove({ publisher, advertisers }) {
      for (const { api_key } of [publisher, ...advertisers]) holders.delete(publicPart(api_key))
    },
    find(apiKey) {
      const holder = holders.get(publicPart(apiKey))
      return holder && equalText(apiKey, holder.apiKey) ? holder : undefined
    },
  }
}

/** All but the last part of `sandbox_pub_<public>_<secret>`. */
function publicPart(apiKey: string): string {
  return apiKey.slice(0, apiKey.lastIndexOf('_'))
}
