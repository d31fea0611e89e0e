import type { VerificationMethod, VerificationStatus } from '../enumerations.ts'

/** The country code of a phone number that names none (Spec 8). */
export const defaultAreaCode = '+34'

/** How the customer is reached (Spec 2.4). */
export interface Contact {
  /** E-mail. */
  email: EmailContact
  /** Phone. */
  phone?: PhoneContact
}

/** An e-mail address and how it was verified (Spec 2.4). */
export interface EmailContact {
  /** The address; identifies the customer within a product, letter case ignored. */
  address: string
  /** Whether the address was verified. */
  status?: VerificationStatus
  /** When it was verified, RFC 3339 with a zone. */
  verified_at?: string
  /** How it was verified. */
  verification_method?: VerificationMethod
  /** Where the address was collected. */
  source?: string
}

/** A phone number and how it was verified (Spec 2.4). */
export interface PhoneContact {
  /** Country code. Default `+34`. */
  area_code?: string
  /** The number, without the country code. */
  number?: string
  /** Whether the number was verified. */
  status?: VerificationStatus
  /** When it was verified, RFC 3339 with a zone. */
  verified_at?: string
  /** How it was verified. */
  verification_method?: VerificationMethod
  /** Where the number was collected. */
  source?: string
}
