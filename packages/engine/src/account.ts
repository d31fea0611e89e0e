import type { AdvertiserCriteria, BlacklistEntry, ProductCriteria } from '@lead-distribution/contract'
import type { Settings } from './settings.ts'

export interface Publisher {
  /** Its id, a UUID (Spec 2.1). */
  publisher_id: string
  /** The URL of its callbacks (Spec 6.2). */
  callback_url: string
  /** The Standard Webhooks secret of its callbacks, `whsec_…`. */
  callback_secret: string
}

/** The parties and rules of one tenant. */
export interface Account {
  publisher: Publisher
  advertisers: readonly Advertiser[]
  products: readonly Product[]
  blacklist: readonly BlacklistEntry[]
  settings: Settings
}

export interface Advertiser {
  /** Its id, a UUID. */
  advertiser_id: string
  /** Its name, for people. */
  name: string
  /** Its place in the ping tree: the lowest number is asked first. */
  priority: number
  /** The secret that signs its postback URLs (Spec 5). */
  postback_secret: string
  /** The leads that it accepts. */
  criteria: AdvertiserCriteria
}

export interface Product {
  /** Its id, a UUID. */
  product_id: string
  /** Its name, for people. */
  name: string
  /** True if it accepts leads. */
  active: boolean
  /** The criteria that a lead must meet. */
  criteria: ProductCriteria
}
