// Generated from the shapes of the wire by `npm run generate`. Change the shapes instead.
import type { CompanySector, EducationLevel, FinancialInstrumentType, Gender, HousingTenure, HousingType, LeadStatus, LoanPurpose, MaritalStatus, OccupationType, VerificationMethod, VerificationStatus } from './lead/enumerations.ts'
import type { EventOutcome, PixelEvent } from './events.ts'
import type { RejectionReason } from './rejections.ts'

/**
 * Name, birthday and identity document.
 * @category Leads
 */
export interface PersonalData {
  /** First name. Not empty. */
  first_name: string
  /** Last name. Not empty. */
  last_name: string
  /** Second surname. */
  second_surname?: string | undefined
  /** Date of birth, as `YYYY-MM-DD`; must be an existing date. */
  birthday?: string | undefined
  /** Number of the national id, foreigner id or passport. */
  identification_number?: string | undefined
  /** Nationality. The wire uses this spelling. Default: `ES`. */
  nacionality?: string | undefined
  /** Gender. Required by the formal schema, but not by the prose. */
  gender?: Gender | undefined
}

/**
 * An e-mail address and its verification.
 * @category Leads
 */
export interface EmailContact {
  /** The address, at most 254 characters. Identifies the customer within a product, ignoring letter case. */
  address: string
  /** Verification status of the address. */
  status?: VerificationStatus | undefined
  /** The time when the address was verified, RFC 3339 with a time zone. */
  verified_at?: string | undefined
  /** The verification method of the address. */
  verification_method?: VerificationMethod | undefined
  /** The source of the address. */
  source?: string | undefined
}

/**
 * A phone number and its verification.
 * @category Leads
 */
export interface PhoneContact {
  /** Country code. Default: `+34`. */
  area_code?: string | undefined
  /** The number, without the country code. */
  number?: string | undefined
  /** Verification status of the number. */
  status?: VerificationStatus | undefined
  /** The time when the number was verified, RFC 3339 with a time zone. */
  verified_at?: string | undefined
  /** The verification method of the number. */
  verification_method?: VerificationMethod | undefined
  /** The source of the number. */
  source?: string | undefined
}

/**
 * The customer's e-mail address and phone number.
 * @category Leads
 */
export interface Contact {
  /** E-mail address. */
  email: EmailContact
  /** Phone number. */
  phone?: PhoneContact | undefined
}

/**
 * The customer's home address.
 * @category Leads
 */
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
  /** Country. Default: `ES`. */
  country?: string | undefined
}

/**
 * Work, income and household.
 * @category Leads
 */
export interface Profile {
  /** Occupation. */
  occupation: OccupationType
  /** Net monthly income, in whole euros. */
  monthly_income: number
  /** Monthly expenses, in whole euros. */
  monthly_expenses?: number | undefined
  /** Marital status. */
  marital_status?: MaritalStatus | undefined
  /** Number of children. Default: `0`. */
  children?: number | undefined
  /** Highest level of education. */
  education?: EducationLevel | undefined
  /** Housing tenure. */
  housing_tenure?: HousingTenure | undefined
  /** Type of housing. */
  housing_type?: HousingType | undefined
  /** The employer's sector. */
  company_sector?: CompanySector | undefined
}

/**
 * A bank account or card.
 * @category Leads
 */
export interface FinancialInstrument {
  /** Type of instrument. */
  type?: FinancialInstrumentType | undefined
  /** Currency. Default: `EUR`. */
  currency?: string | undefined
  /** IBAN of the bank account. */
  iban?: string | undefined
  /** Verification status of the instrument. */
  status?: VerificationStatus | undefined
}

/**
 * The applicant.
 * @category Leads
 */
export interface Customer {
  /** The publisher's own id for the customer, for cross-reference. */
  external_id?: string | undefined
  /** Name, birthday and identity document. */
  personal_data: PersonalData
  /** The customer's contact data. The e-mail address identifies the customer within a product. */
  contact: Contact
  /** Home address. */
  address?: Address | undefined
  /** Work, income and household. */
  profile?: Profile | undefined
  /** Bank accounts and cards. At most 100. */
  financial_instruments?: FinancialInstrument[] | undefined
}

/**
 * The loan applied for.
 * @category Leads
 */
export interface LoanProductData {
  /** Amount, in whole euros. From 500 to 75000. */
  loan_amount: number
  /** Loan purpose. */
  loan_purpose: LoanPurpose
  /** Term, in months. From 3 to 84. */
  loan_term_months: number
}

/**
 * One consent.
 * @category Leads
 */
export interface ConsentEntry {
  /** Name of the consent: `terms`, `privacy_policy`, `marketing`, or another name that the publisher defines. Not empty. */
  type: string
  /** True if the customer accepted. */
  accepted: boolean
  /** The time when the customer accepted, RFC 3339 with a time zone; `null` for a consent that was not accepted. */
  accepted_at: string | null
  /** Version label of the consent document. Not empty. */
  version: string
  /** URL of the exact document shown to the customer. Recommended for audits. */
  document_url?: string | null | undefined
}

/**
 * How the consents were collected.
 * @category Leads
 */
export interface ConsentMetadata {
  /** The customer's IPv4 address when consenting. */
  ip_address: string
  /** The customer's user agent when consenting. */
  user_agent?: string | undefined
  /** The time when the consents were collected, RFC 3339 with a time zone. */
  collected_at: string
}

/**
 * The customer's consents.
 * @category Leads
 */
export interface Consents {
  /** One entry per consent. `terms` and `privacy_policy` are required and must be accepted. At most 100. */
  entries: ConsentEntry[]
  /** How the consents were collected. Required by the formal schema, but not by the prose. */
  metadata?: ConsentMetadata | undefined
}

/**
 * Campaign attribution of a lead.
 * @category Leads
 */
export interface Tracking {
  /** Id of the click that led to the lead. */
  click_id?: string | undefined
  /** The publisher's own sub-id. */
  sub_id?: string | undefined
  /** Id of the campaign. */
  campaign_id?: string | undefined
  /** URL of the site where the lead originated, percent-encoded. */
  source?: string | undefined
}

/**
 * The body of `POST /lead`: one customer's loan application.
 * @category Leads
 */
export interface LeadSubmission {
  /** The product applied for: a UUID issued by the service's operator. */
  product_id: string
  /** The publisher that submits the lead: a UUID issued by the service's operator together with the API key. */
  publisher_id: string
  /** The applicant. */
  customer: Customer
  /** The loan applied for. */
  product_data: LoanProductData
  /** The customer's consents. */
  consents: Consents
  /** Campaign attribution. */
  tracking?: Tracking | undefined
}

/**
 * The response to `POST /lead`.
 * @category Results
 */
export interface LeadResponse {
  /** The lead's id, a UUID. Absent or null if no lead was created. */
  lead_id?: string | null | undefined
  /** The outcome of the submission. */
  status: LeadStatus
  /** The URL to redirect the customer to. Only if `status` is `distributed`. */
  redirect_url?: string | null | undefined
  /** The reason for the rejection. Only if `status` is `rejected`. */
  rejection_reason?: RejectionReason | null | undefined
}

/**
 * Loan figures in a status update.
 * @category Reports
 */
export interface StatusMetadata {
  /** Amount of the loan, in euros. */
  amount?: number | undefined
  /** Term of the loan, in whole months. */
  term_months?: number | undefined
}

/**
 * The body of `POST /lead/{lead_id}/status`.
 * @category Reports
 */
export interface StatusUpdate {
  /** The event: `converted`, or an event name on either list. */
  status: string
  /** The reporting advertiser's id, a UUID. It must be the owner of the API key. */
  advertiser_id?: string | undefined
  /** Loan figures. */
  metadata?: StatusMetadata | undefined
}

/**
 * The response to `POST /lead/{lead_id}/status`.
 * @category Reports
 */
export interface StatusReply {
  /** The lead's id, a UUID. */
  lead_id: string
  /** The status, as reported. */
  status: string
}

/**
 * The query of `GET /lead/{lead_id}/status`, the pixel.
 * @category Reports
 */
export interface EventReport {
  /** The postback URL's signed token, valid for that lead only. Not empty. */
  token: string
  /** The event, by its name on either list. */
  event: string
  /** The advertiser's own reference for the lead. At most 255 characters. */
  ref?: string | undefined
}

/**
 * The response to `GET /lead/{lead_id}/status`.
 * @category Reports
 */
export interface EventReply {
  /** The lead's id, a UUID. */
  lead_id: string
  /** The event, by its name in the pixel's enumeration. */
  event: PixelEvent
  /** `received`: recorded, and the publisher is notified. `ignored`: a repeat. */
  status: EventOutcome
}

/**
 * An issue of a field.
 * @category Errors
 */
export interface FieldIssue {
  /** A dotted path, such as `consents.entries.0.accepted_at`; `body` for the body as a whole. */
  field: string
  /** The requirement that the value does not meet. */
  issue: string
}

/**
 * The body of every error response.
 * @category Errors
 */
export interface ErrorResponse {
  /** Error code. */
  error: string
  /** The problem and its solution, for a human reader. */
  message: string
  /** One issue per field, at most 100; if there are more, the last one gives the number of the others. Only in a `400`. */
  details?: FieldIssue[] | undefined
}
