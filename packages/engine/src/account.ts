import type { LoanPurpose, OccupationType } from '@lead-distribution/contract'
import type { Settings } from './settings.ts'

/** The publisher of a tenant. */
export interface Publisher {
  /** Its id, a UUID (Spec 2.1). */
  publisher_id: string
  /** Where its callbacks go (Spec 6.2). */
  callback_url: string
  /** The Standard Webhooks secret of its callbacks, `whsec_…`. */
  callback_secret: string
}

/** A customer to refuse: any one value of an entry is enough to match. */
export interface BlacklistEntry {
  /** E-mail address, letter case ignored. */
  email?: string | undefined
  /** Phone number; spaces and signs are ignored. */
  phone?: string | undefined
  /** Number of the identity document, letter case ignored. */
  identification_number?: string | undefined
}

/** The parties and rules of one tenant. */
export interface Account {
  publisher: Publisher
  advertisers: readonly Advertiser[]
  products: readonly Product[]
  blacklist: readonly BlacklistEntry[]
  settings: Settings
}

/** Which leads an advertiser takes. */
export interface AdvertiserCriteria {
  /** The amounts it lends, whole euros. */
  loan_amount: Band
  /** The terms it lends for, months. */
  loan_term_months: Band
  /** The purposes it does not lend for. */
  loan_purposes_excluded: LoanPurpose[]
  /** The least net monthly income it lends to, whole euros; a lead that states none is taken. */
  minimum_monthly_income: number
}

/** An advertiser of a tenant. */
export interface Advertiser {
  /** Its id, a UUID. */
  advertiser_id: string
  /** Its name, for people. */
  name: string
  /** Its place in the ping tree: the lowest is asked first. */
  priority: number
  /** The secret that signs its postback URLs (Spec 5). */
  postback_secret: string
  /** Which leads it takes. */
  criteria: AdvertiserCriteria
}

/** A band of whole numbers, both ends inclusive. */
export interface Band {
  /** The least that is inside. */
  min: number
  /** The most that is inside. */
  max: number
}

/** What a product asks of a lead. The specification shows no criteria: each product publishes its own. */
export interface ProductCriteria {
  /** The youngest customer, whole years. */
  min_age: number
  /** The oldest customer, whole years; holds until the day before the next birthday. */
  max_age: number
  /** The least net monthly income, whole euros. */
  minimum_monthly_income: number
  /** The countries a customer may live in. */
  countries: string[]
  /** The amounts that the product is given for, whole euros. */
  loan_amount: Band
  /** The terms that the product is given for, months. */
  loan_term_months: Band
  /** The occupations that the product is not given to. */
  occupations_excluded: OccupationType[]
  /** IPv4 networks (CIDR) whose submissions are taken for fraud. */
  fraud_ip_ranges: string[]
}

/** A loan product of a tenant. */
export interface Product {
  /** Its id, a UUID. */
  product_id: string
  /** Its name, for people. */
  name: string
  /** Whether it takes leads at present. */
  active: boolean
  /** What it asks of a lead. */
  criteria: ProductCriteria
}

/** Whether a number is inside a band. */
export function isInside(band: Band, value: number): boolean {
  return value >= band.min && value <= band.max
}

/** Whether two UUIDs are the same: letter case does not matter (RFC 9562). */
export function isSameUuid(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}
