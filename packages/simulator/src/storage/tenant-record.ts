import type { Advertiser, BlacklistEntry, Product, SettingsOverrides } from '@lead-distribution/engine'

/** The stored publisher of a tenant. */
export interface PublisherRecord {
  publisher_id: string
  api_key: string
  /** Where its callbacks go; the tenant's own inbox where none is named. */
  callback_url?: string | undefined
  /** The Standard Webhooks secret of its callbacks, `whsec_…`. */
  callback_secret: string
}

/** A stored advertiser of a tenant. */
export interface AdvertiserRecord extends Advertiser {
  api_key: string
  /** Its own back end on this machine, which gets the leads that it takes; undefined where it has none. */
  backend_url?: string | undefined
}

/** The events that the simulated advertiser reports by itself, and how long after the lead came in. */
export type Lifecycle = { event: string; after: string }[]

/** Some of the settings: what a tenant sets by itself. */
export type TenantSettingsOverrides = SettingsOverrides & { lifecycle?: Lifecycle | undefined }

/** A stored tenant: its account and what it was created from. */
export interface TenantRecord {
  /** Its name, the subdomain of the specification's `{tenant}`. */
  tenant: string
  /** What its ids, keys and random numbers are derived from. A secret: it reveals the keys. */
  seed: string
  /** Milliseconds since 1970, real time. */
  created_at: number
  publisher: PublisherRecord
  advertisers: AdvertiserRecord[]
  products: Product[]
  blacklist: BlacklistEntry[]
  /** What the tenant sets by itself, its profile among them. */
  settings: TenantSettingsOverrides
  /** What it was created with: a reset leads back there. Older files do not have it. */
  made?: TenantCreation | undefined
}

/** What the creator of a tenant chose. */
export interface TenantCreation {
  settings: TenantSettingsOverrides
  callback_url?: string | undefined
  /** The time at which its clock is frozen from the start, milliseconds since 1970. */
  frozen_at?: number | undefined
}
