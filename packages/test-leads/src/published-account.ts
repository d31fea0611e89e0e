import type { LoanPurpose, OccupationType } from '@lead-distribution/contract'

/** A band of whole numbers, both ends inclusive, in the unit of its field. */
export interface PublishedBand {
  /** The least that is inside: an integer in the unit of the field. */
  readonly min: number
  /** The most that is inside: an integer in the unit of the field. */
  readonly max: number
}

/** A product with what it asks of a lead. */
export interface PublishedProduct {
  /** Its id, a UUID. */
  readonly product_id: string
  /** Whether it takes leads at present. */
  readonly active: boolean
  /** What a lead must meet. */
  readonly criteria: {
    /** The least age of a customer, whole years. */
    readonly min_age: number
    /** The greatest age of a customer, whole years. */
    readonly max_age: number
    /** The least net monthly income, whole euros. */
    readonly minimum_monthly_income: number
    /** The countries that a customer may live in. */
    readonly countries: readonly string[]
    /** The loans that it gives, whole euros. */
    readonly loan_amount: PublishedBand
    /** The terms that it gives, whole months. */
    readonly loan_term_months: PublishedBand
    /** The occupations that it does not take. */
    readonly occupations_excluded: readonly OccupationType[]
    /** Networks, as IPv4 CIDR, from which consents count as fraud. */
    readonly fraud_ip_ranges: readonly string[]
  }
}

/** An advertiser with which leads it takes. */
export interface PublishedAdvertiser {
  /** Which leads it takes. */
  readonly criteria: {
    /** The loans that it gives, whole euros. */
    readonly loan_amount: PublishedBand
    /** The terms that it gives, whole months. */
    readonly loan_term_months: PublishedBand
    /** The purposes that it does not lend for. */
    readonly loan_purposes_excluded: readonly LoanPurpose[]
    /** The least net monthly income, whole euros. */
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
  readonly publisher: {
    /** Its id, a UUID. */
    readonly publisher_id: string
  }
  /** Its products, with their criteria. */
  readonly products: readonly PublishedProduct[]
  /** Its advertisers. */
  readonly advertisers: readonly PublishedAdvertiser[]
  /** The customers that it rejects. */
  readonly blacklist: readonly PublishedBlacklistEntry[]
  /** How it reads the specification, as far as test leads depend on it. */
  readonly settings?: {
    /** For how long after a rejection a customer comes back too soon, an ISO 8601 duration. */
    readonly duplicate_window: string
  }
}
