import type { Address } from './address.ts'
import type { Contact } from './contact.ts'
import type { FinancialInstrument } from './financial-instrument.ts'
import type { PersonalData } from './personal-data.ts'
import type { Profile } from './profile.ts'

/** Who applies (Spec 2.2). */
export interface Customer {
  /** The publisher's own id of the customer, kept for cross-reference. */
  external_id?: string
  /** Name, birthday, papers. */
  personal_data: PersonalData
  /** How the customer is reached; the e-mail address identifies the customer within a product. */
  contact: Contact
  /** Where the customer lives. */
  address?: Address
  /** Work, income, household. */
  profile?: Profile
  /** Bank accounts and cards. */
  financial_instruments?: FinancialInstrument[]
}
