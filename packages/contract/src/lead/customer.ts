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

/** The applicant. */ // Spec 2.2
export interface Customer {
  /** The publisher's own id of the customer, kept for cross-reference. */
  external_id?: string | undefined
  /** Name, birthday, papers. */
  personal_data: PersonalData
  /** How the customer is reached; the e-mail address identifies the customer within a product. */
  contact: Contact
  /** Where the customer lives. */
  address?: Address | undefined
  /** Work, income, household. */
  profile?: Profile | undefined
  /** Bank accounts and cards, at most 100. */
  financial_instruments?: FinancialInstrument[] | undefined
}

/** The default nationality of a customer. */ // Spec 8
export const defaultNacionality = 'ES'

/** Name, birthday, papers. */ // Spec 2.3
export interface PersonalData {
  /** First name; not empty. */
  first_name: string
  /** Last name; not empty. */
  last_name: string
  /** Second surname. */
  second_surname?: string | undefined
  /** Birthday, as `YYYY-MM-DD`; a day that exists. */
  birthday?: string | undefined
  /** Number of the national id, foreigner id or passport. */
  identification_number?: string | undefined
  /** Nationality; spelled so on the wire. Default `ES`. */
  nacionality?: string | undefined
  /** Gender; the formal schema requires it, the prose does not. */
  gender?: Gender | undefined
}

/** The default country code of a phone number. */ // Spec 8
export const defaultAreaCode = '+34'

/** How the customer is reached. */ // Spec 2.4
export interface Contact {
  /** E-mail. */
  email: EmailContact
  /** Phone. */
  phone?: PhoneContact | undefined
}

/** An e-mail address and how it was verified. */ // Spec 2.4
export interface EmailContact {
  /** The address; identifies the customer within a product, letter case ignored. */
  address: string
  /** Whether the address was verified. */
  status?: VerificationStatus | undefined
  /** When it was verified, RFC 3339 with a zone. */
  verified_at?: string | undefined
  /** How it was verified. */
  verification_method?: VerificationMethod | undefined
  /** Where the address was collected. */
  source?: string | undefined
}

/** A phone number and how it was verified. */ // Spec 2.4
export interface PhoneContact {
  /** Country code. Default `+34`. */
  area_code?: string | undefined
  /** The number, without the country code. */
  number?: string | undefined
  /** Whether the number was verified. */
  status?: VerificationStatus | undefined
  /** When it was verified, RFC 3339 with a zone. */
  verified_at?: string | undefined
  /** How it was verified. */
  verification_method?: VerificationMethod | undefined
  /** Where the number was collected. */
  source?: string | undefined
}

/** The default country of an address. */ // Spec 8
export const defaultCountry = 'ES'

/** Where the customer lives. */ // Spec 2.5
export interface Address {
  /** Street. */
  street?: string | undefined
  /** House number. */
  house?: string | undefined
  /** Floor. */
  floor?: string | undefined
  /** Apartment. */
  apartment?: string | undefined
  /** City. */
  city?: string | undefined
  /** Region or province. */
  region?: string | undefined
  /** Postal code. */
  postal_code?: string | undefined
  /** Country. Default `ES`. */
  country?: string | undefined
}

/** The default number of children of a customer. */ // Spec 8
export const defaultChildren = 0

/** Work, income, household. */ // Spec 2.6
export interface Profile {
  /** How the customer earns a living. */
  occupation: OccupationType
  /** Net monthly income, whole euros. */
  monthly_income: number
  /** Monthly expenses, whole euros. */
  monthly_expenses?: number | undefined
  /** Marital status. */
  marital_status?: MaritalStatus | undefined
  /** Number of children. Default `0`. */
  children?: number | undefined
  /** Highest education. */
  education?: EducationLevel | undefined
  /** Whether the customer owns or rents the home. */
  housing_tenure?: HousingTenure | undefined
  /** The kind of home. */
  housing_type?: HousingType | undefined
  /** The sector of the employer. */
  company_sector?: CompanySector | undefined
}

/** The default currency of an instrument. */ // Spec 8
export const defaultCurrency = 'EUR'

/** A bank account or card. */ // Spec 2.7
export interface FinancialInstrument {
  /** The kind of instrument. */
  type?: FinancialInstrumentType | undefined
  /** Currency. Default `EUR`. */
  currency?: string | undefined
  /** IBAN of a bank account. */
  iban?: string | undefined
  /** Whether the instrument was verified. */
  status?: VerificationStatus | undefined
}
