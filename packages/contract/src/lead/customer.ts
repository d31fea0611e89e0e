import type {
  CompanySector,
  EducationLevel,
  FinancialInstrumentType,
  Gender,
  HousingTenure,
  HousingType,
  MaritalStatus,
  OccupationType,
  VerificationMethod,
  VerificationStatus,
} from '../enumerations.ts'

/** The applicant (Spec 2.2). */
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
  /** Bank accounts and cards, at most 100. */
  financial_instruments?: FinancialInstrument[]
}

/** The default nationality of a customer (Spec 8). */
export const defaultNacionality = 'ES'

/** Name, birthday, papers (Spec 2.3). */
export interface PersonalData {
  /** First name; not empty. */
  first_name: string
  /** Last name; not empty. */
  last_name: string
  /** Second surname. */
  second_surname?: string
  /** Birthday, as `YYYY-MM-DD`; a day that exists. */
  birthday?: string
  /** Number of the national id, foreigner id or passport. */
  identification_number?: string
  /** Nationality; spelled so on the wire. Default `ES`. */
  nacionality?: string
  /** Gender; the formal schema requires it, the prose does not. */
  gender?: Gender
}

/** The default country code of a phone number (Spec 8). */
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

/** The default country of an address (Spec 8). */
export const defaultCountry = 'ES'

/** Where the customer lives (Spec 2.5). */
export interface Address {
  /** Street. */
  street?: string
  /** House number. */
  house?: string
  /** Floor. */
  floor?: string
  /** Apartment. */
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

/** The default number of children of a customer (Spec 8). */
export const defaultChildren = 0

/** Work, income, household (Spec 2.6). */
export interface Profile {
  /** How the customer earns a living. */
  occupation: OccupationType
  /** Net monthly income, whole euros. */
  monthly_income: number
  /** Monthly expenses, whole euros. */
  monthly_expenses?: number
  /** Marital status. */
  marital_status?: MaritalStatus
  /** Number of children. Default `0`. */
  children?: number
  /** Highest education. */
  education?: EducationLevel
  /** Whether the customer owns or rents the home. */
  housing_tenure?: HousingTenure
  /** The kind of home. */
  housing_type?: HousingType
  /** The sector of the employer. */
  company_sector?: CompanySector
}

/** The default currency of an instrument (Spec 8). */
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
