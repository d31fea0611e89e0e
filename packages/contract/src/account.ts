import type { AdvertiserCriteria, ReadonlyCriteria } from './criteria.ts'
import type { BlacklistEntry, ProductCriteria } from './rejections.ts'

/** A product with its criteria. */
export interface PublishedProduct {
  /** Its id, a UUID. */
  readonly product_id: string
  /** True if it accepts leads. */
  readonly active: boolean
  /** The criteria that a lead must meet. */
  readonly criteria: ReadonlyCriteria<ProductCriteria>
}

/** An advertiser with its criteria. */
export interface PublishedAdvertiser {
  /** The leads that it accepts. */
  readonly criteria: ReadonlyCriteria<AdvertiserCriteria>
}

/** The part of an account that decides on leads, as the sandbox's control plane shows it. Test leads are built from it. */
export interface PublishedAccount {
  /** Its publisher. */
  readonly publisher: {
    /** Its id, a UUID. */
    readonly publisher_id: string
  }
  /** Its products, with their criteria. */
  readonly products: readonly PublishedProduct[]
  /** Its advertisers. */
  readonly advertisers: readonly PublishedAdvertiser[]
  /** The customers that it rejects. */
  readonly blacklist: readonly Readonly<BlacklistEntry>[]
  /** Its interpretation of the specification, as far as test leads depend on it. */
  readonly settings?: {
    /** The time for which a rejected customer who comes back is a duplicate, an ISO 8601 duration without months or years. */
    readonly duplicate_window: string
  }
}
