import type { BlacklistEntry } from '@lead-distribution/contract'
import type { Advertiser, Product, SettingsOverrides } from '@lead-distribution/engine'

/** The key and the secret of a publisher. */
export interface PublisherCredentials {
  api_key: string
  /** The Standard Webhooks secret of its callbacks, `whsec_…`. */
  callback_secret: string
}

export interface PublisherRecord extends PublisherCredentials {
  publisher_id: string
  /** The URL of its callbacks. Default: the tenant's own inbox. */
  callback_url?: string | undefined
}

export interface AdvertiserCredentials extends Pick<Advertiser, 'postback_secret'> {
  api_key: string
}

/** Keys and secrets in place of those that the seed gives. */
export interface ChosenCredentials {
  publisher?: Partial<PublisherCredentials> | undefined
  advertisers?: ({ advertiser_id: string } & Partial<AdvertiserCredentials>)[] | undefined
}

export interface AdvertiserRecord extends Advertiser, AdvertiserCredentials {
  /** Its own back end on this machine, which gets the leads that it takes; undefined if it has none. */
  backend_url?: string | undefined
}

/** The events that the simulated advertiser reports by itself, and how long after the lead came in. */
export type Lifecycle = { event: string; after: string }[]

/** The settings of a tenant that no open point of the specification is behind. */
export interface SandboxSettings {
  lifecycle?: Lifecycle | undefined
  /** The bodies that its journal keeps of its newest calls. */
  journal_bodies?: 'masked' | 'off' | undefined
}

/** A tenant's own settings, which override its profile. */
export type TenantSettingsOverrides = SettingsOverrides & SandboxSettings

/** The rights of a tenant's token: to read, without keys and secrets, or everything in the tenant. */
export type TokenRole = 'read' | 'write'

/** A stored token of a tenant. Its text was shown once and is not stored. */
export interface TokenRecord {
  token_id: string
  role: TokenRole
  /** A note on its owner. */
  name?: string | undefined
  /** SHA-256 of the whole text, hexadecimal. */
  hash: string
  /** Milliseconds since 1970, real time. */
  created_at: number
}

/** A program that gets the callbacks of a tenant in place of its callback URL, and reports the responses of a receiver. */
export interface TenantListener {
  listener_id: string
  /** The URL that it sends them to, which only it can reach. */
  forward_to: string
  /** False while it is not there: the callbacks are held then. */
  connected: boolean
}

/** The operator's decisions on a tenant. No reset and no snapshot changes them. */
export interface TenantAdministration {
  /** The time when the tenant is deleted, milliseconds since 1970, real time; undefined for never. */
  expires_at?: number | undefined
  tokens?: TokenRecord[] | undefined
  /** Hosts that its callbacks may go to, besides this machine and the hosts that the sandbox was started with. */
  callback_hosts?: string[] | undefined
  /** The keys and secrets that the operator chose. */
  credentials?: ChosenCredentials | undefined
  /** Undefined if its callbacks go to its callback URL. */
  listener?: TenantListener | undefined
}

/** A stored tenant: its account and what it was created from. */
export interface TenantRecord extends TenantAdministration {
  /** Its name, the subdomain of the specification's `{tenant}`. */
  tenant: string
  /** The source of its ids, keys and random numbers. A secret: it reveals the keys. */
  seed: string
  /** Milliseconds since 1970, real time. */
  created_at: number
  publisher: PublisherRecord
  advertisers: AdvertiserRecord[]
  products: Product[]
  blacklist: BlacklistEntry[]
  /** The tenant's own settings, its profile among them. */
  settings: TenantSettingsOverrides
  /** True if its callbacks wait until they are released, whatever its clock shows. */
  callbacks_held?: boolean | undefined
  /** The input that it was created with, to which a reset leads back. Older files do not have it. */
  made?: TenantCreation | undefined
}

/** The part of a tenant that may hold its callbacks. */
export type Holding = Pick<TenantRecord, 'callbacks_held' | 'listener'>

/** Returns true if the callbacks of a tenant are not sent when they are due: they are held, or its listener is not there. */
export function isHolding({ callbacks_held, listener }: Holding): boolean {
  return callbacks_held === true || listener?.connected === false
}

/** The input of a tenant's creator. */
export interface TenantCreation {
  settings: TenantSettingsOverrides
  callback_url?: string | undefined
  /** The time at which its clock is frozen from the start, milliseconds since 1970. */
  frozen_at?: number | undefined
  /** The advertisers that it has from the start besides the usual ones. */
  advertisers?: Omit<AdvertiserRecord, keyof AdvertiserCredentials>[] | undefined
}

/** A tenant as it is stored. Its record is untrusted: it may be damaged, or written by another version. */
export interface ListedTenant {
  readonly tenant: string
  /** A `TenantRecord`, unless something is wrong with it; the text as it is stored where that is not JSON. */
  readonly record: unknown
}
