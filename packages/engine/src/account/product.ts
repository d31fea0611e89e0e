import type { OccupationType } from '@lead-distribution/contract'

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
