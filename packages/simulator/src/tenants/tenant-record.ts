import type { Advertiser, BlacklistEntry, Product, SettingsOverrides } from '@lead-distribution/engine'

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
  /** The switches that the tenant sets, its profile among them. */
  settings: SettingsOverrides
}
