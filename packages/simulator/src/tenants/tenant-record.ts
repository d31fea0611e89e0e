import type { Advertiser, BlacklistEntry, Product } from '@lead-distribution/engine'
import type { TenantSettingsOverrides } from './tenant-settings.ts'

/** The publisher of a tenant as it is kept. */
export interface PublisherRecord {
  publisher_id: string
  api_key: string
  /** Where its callbacks go; the tenant's own inbox where none is named. */
  callback_url?: string | undefined
  /** The Standard Webhooks secret of its callbacks, `whsec_…`. */
  callback_secret: string
}

/** An advertiser of a tenant as it is kept. */
export interface AdvertiserRecord extends Advertiser {
  api_key: string
}

/** A tenant as it is kept: its account and what it was made from. */
export interface TenantRecord {
  /** Its name, the subdomain of the specification's `{tenant}`. */
  tenant: string
  /** What its ids, keys and chance are drawn from. A secret: who knows it knows the keys. */
  seed: string
  /** Milliseconds since 1970, real time. */
  created_at: number
  publisher: PublisherRecord
  advertisers: AdvertiserRecord[]
  products: Product[]
  blacklist: BlacklistEntry[]
  /** What the tenant sets by itself, its profile among them. */
  settings: TenantSettingsOverrides
  /** What it was made with: a reset leads back there. Tenants of older files do not know it. */
  made?: TenantOrder | undefined
}

/** What the maker of a tenant chose. */
export interface TenantOrder {
  settings: TenantSettingsOverrides
  callback_url?: string | undefined
  /** When its clock stands still from the start, milliseconds since 1970. */
  frozen_at?: number | undefined
}
