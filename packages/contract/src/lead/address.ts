/** The country of an address that names none (Spec 8). */
export const defaultCountry = 'ES'

/** Where the customer lives (Spec 2.5). */
export interface Address {
  /** Street. */
  street?: string
  /** House number. */
  house?: string
  /** Floor. */
  floor?: string
  /** Apartment or door. */
  apartment?: string
  /** City. */
  city?: string
  /** Region or province. */
  region?: string
  /** Postal code. */
  postal_code?: string
  /** Country. Default `ES`. */
  country?: string
}
