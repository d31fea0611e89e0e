import type { FinancialInstrumentType, VerificationStatus } from '../enumerations.ts'

/** The currency of an instrument that names none (Spec 8). */
export const defaultCurrency = 'EUR'

/** A bank account or card (Spec 2.7). */
export interface FinancialInstrument {
  /** The kind of instrument. */
  type?: FinancialInstrumentType
  /** Currency. Default `EUR`. */
  currency?: string
  /** IBAN of a bank account. */
  iban?: string
  /** Whether the instrument was verified. */
  status?: VerificationStatus
}
