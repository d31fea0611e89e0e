import type { Settings } from '../settings.ts'
import type { Advertiser } from './advertiser.ts'
import type { Product } from './product.ts'

/** The publisher of a tenant. */
export interface Publisher {
  /** Its id, a UUID (Spec 2.1). */
  publisher_id: string
  /** Where its callbacks go (Spec 6.2). */
  callback_url: string
  /** The Standard Webhooks secret of its callbacks, `whsec_…`. */
  callback_secret: string
}

/** A customer who is refused: any of the values that an entry names is enough. */
export interface BlacklistEntry {
  /** E-mail address, letter case ignored. */
  email?: string | undefined
  /** Phone number; spaces and signs are ignored. */
  phone?: string | undefined
  /** Number of the identity document, letter case ignored. */
  identification_number?: string | undefined
}

/** All that the service knows of one tenant's parties and rules. */
export interface Account {
  /** Who submits. */
  publisher: Publisher
  /** Who lends. */
  advertisers: readonly Advertiser[]
  /** What is lent. */
  products: readonly Product[]
  /** Who is refused. */
  blacklist: readonly BlacklistEntry[]
  /** How what the specification leaves open is read. */
  settings: Settings
}
