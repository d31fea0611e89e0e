import type { LoanPurpose, OccupationType } from '@lead-distribution/contract'

/** A band of whole numbers, both ends inclusive. */
export interface PublishedBand {
  /** The least that is inside. */
  readonly min: number
  /** The most that is inside. */
  readonly max: number
}

/** A product with what it asks of a lead. */
export interface PublishedProduct {
  /** Its id, a UUID. */
  readonly product_id: string
  /** Whether it takes leads at present. */
  readonly active: boolean
  /** Ages in whole years, incomes and amounts in whole euros, terms in months, networks as IPv4 CIDR. */
  readonly criteria: {
    readonly min_age: number
    readonly max_age: number
    readonly minimum_monthly_income: number
    readonly countries: readonly string[]
    readonly loan_amount: PublishedBand
    readonly loan_term_months: PublishedBand
    readonly occupations_excluded: readonly OccupationType[]
    readonly fraud_ip_ranges: readonly string[]
  }
}

/** An advertiser with which leads it takes. */
export interface PublishedAdvertiser {
  /** Amounts and incomes in whole euros, terms in months. */
  readonly criteria: {
    readonly loan_amount: PublishedBand
    readonly loan_term_months: PublishedBand
    readonly loan_purposes_excluded: readonly LoanPurpose[]
    readonly minimum_monthly_income: number
  }
}

/** A customer on the blacklist, known by any of these. */
export interface PublishedBlacklistEntry {
  /** E-mail address. */
  readonly email?: string | undefined
  /** Phone number. */
  readonly phone?: string | undefined
  /** Number of a national id, a foreigner id or a passport. */
  readonly identification_number?: string | undefined
}

/** What test leads are built from: the part of an account, as the sandbox's control plane shows it, that decides on leads. */
export interface PublishedAccount {
  /** Its publisher. */
  readonly publisher: { readonly publisher_id: string }
  /** Its products, with their criteria. */
  readonly products: readonly PublishedProduct[]
  /** Its advertisers. */
  readonly advertisers: readonly PublishedAdvertiser[]
  /** The customers that it rejects. */
  readonly blacklist: readonly PublishedBlacklistEntry[]
  /** Only the duplicate window is looked at, an ISO 8601 duration. */
  readonly settings?: { readonly duplicate_window: string }
}
