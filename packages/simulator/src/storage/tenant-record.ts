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

/** What a token of a tenant allows: to read, without keys and secrets, or everything in the tenant. */
export type TokenRole = 'read' | 'write'

/** A stored token of a tenant. Its text was shown once and is not stored. */
export interface TokenRecord {
  token_id: string
  role: TokenRole
  /** Whose it is, in the words of its creator. */
  name?: string | undefined
  /** SHA-256 of the whole text, hexadecimal. */
  hash: string
  /** Milliseconds since 1970, real time. */
  created_at: number
}

/** What the operator of a sandbox decides about a tenant. No reset and no snapshot changes it. */
export interface TenantAdministration {
  /** When the tenant is deleted, milliseconds since 1970, real time; undefined for never. */
  expires_at?: number | undefined
  tokens?: TokenRecord[] | undefined
  /** Hosts that its callbacks may go to, besides this machine and the hosts that the sandbox was started with. */
  callback_hosts?: string[] | undefined
}

/** A stored tenant: its account and what it was created from. */
export interface TenantRecord extends TenantAdministration {
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
  /** Whether its callbacks wait until they are released, whatever its clock shows. */
  callbacks_held?: boolean | undefined
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

/** A tenant as it is stored. Its record is untrusted: it may be damaged, or written by another version. */
export interface ListedTenant {
  /** Its name. */
  readonly tenant: string
  /** A `TenantRecord`, unless something is wrong with it; the text as it is stored where that is not JSON. */
  readonly record: unknown
}
