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
  /** Birthday, as `YYYY-MM-DD`; a day that exists. */
  birthday?: string | undefined
  /** Number of the national id, foreigner id or passport. */
  identification_number?: string | undefined
  /** Nationality; this is the spelling on the wire. Default: `ES`. */
  nacionality?: string | undefined
  /** Gender; the formal schema requires it, the prose does not. */
  gender?: Gender | undefined
}

/**
 * An e-mail address and its verification.
 * @category Leads
 */
export interface EmailContact {
  /** The address, at most 254 characters; identifies the customer within a product, ignoring letter case. */
  address: string
  /** Verification status of the address. */
  status?: VerificationStatus | undefined
  /** The time when the address was verified, RFC 3339 with a zone. */
  verified_at?: string | undefined
  /** The method of verification of the address. */
  verification_method?: VerificationMethod | undefined
  /** The place where the address was collected. */
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
  /** The time when the number was verified, RFC 3339 with a zone. */
  verified_at?: string | undefined
  /** The method of verification of the number. */
  verification_method?: VerificationMethod | undefined
  /** The place where the number was collected. */
  source?: string | undefined
}

/**
 * The customer's e-mail address and phone number.
 * @category Leads
 */
export interface Contact {
  /** E-mail. */
  email: EmailContact
  /** Phone. */
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
  /** Net monthly income, whole euros. */
  monthly_income: number
  /** Monthly expenses, whole euros. */
  monthly_expenses?: number | undefined
  /** Marital status. */
  marital_status?: MaritalStatus | undefined
  /** Number of children. Default: `0`. */
  children?: number | undefined
  /** Highest level of education. */
  education?: EducationLevel | undefined
  /** Owner or tenant of the home. */
  housing_tenure?: HousingTenure | undefined
  /** Type of home. */
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
  /** IBAN of a bank account. */
  iban?: string | undefined
  /** Verification status of the instrument. */
  status?: VerificationStatus | undefined
}

/**
 * The applicant.
 * @category Leads
 */
export interface Customer {
  /** The publisher's own id of the customer, kept for cross-reference. */
  external_id?: string | undefined
  /** Name, birthday and identity document. */
  personal_data: PersonalData
  /** The customer's contact data; the email address identifies the customer within a product. */
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
  /** Amount, whole euros. From 500 to 75000. */
  loan_amount: number
  /** Purpose of the loan. */
  loan_purpose: LoanPurpose
  /** Term, months. From 3 to 84. */
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
  /** The time when the customer accepted, RFC 3339 with a zone; `null` for a consent that was not accepted. */
  accepted_at: string | null
  /** Version label of the consent document. Not empty. */
  version: string
  /** URL of the exact document that the customer saw. Recommended for audits. */
  document_url?: string | null | undefined
}

/**
 * The circumstances in which the consents were collected.
 * @category Leads
 */
export interface ConsentMetadata {
  /** IPv4 address from which the customer agreed. */
  ip_address: string
  /** User agent with which the customer agreed. */
  user_agent?: string | undefined
  /** The time when the consents were collected, RFC 3339 with a zone. */
  collected_at: string
}

/**
 * The customer's consents.
 * @category Leads
 */
export interface Consents {
  /** One entry for each consent. `terms` and `privacy_policy` are required, accepted. At most 100. */
  entries: ConsentEntry[]
  /** The circumstances in which the consents were collected; the formal schema requires it, the prose does not. */
  metadata?: ConsentMetadata | undefined
}

/**
 * Campaign attribution of a lead.
 * @category Leads
 */
export interface Tracking {
  /** Id of the click that brought the customer. */
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
  /** The product applied for; a UUID issued by the service's operator. */
  product_id: string
  /** The publisher that submits the lead; a UUID issued by the service's operator together with the API key. */
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
 * The response of `POST /lead`.
 * @category Results
 */
export interface LeadResponse {
  /** Id of the lead, a UUID; absent or null if no lead was created. */
  lead_id?: string | null | undefined
  /** The result of the submission. */
  status: LeadStatus
  /** The URL to send the customer to; only if `status` is `distributed`. */
  redirect_url?: string | null | undefined
  /** The reason for the rejection; only if `status` is `rejected`. */
  rejection_reason?: RejectionReason | null | undefined
}

/**
 * Figures of the loan that a status update reports.
 * @category Reports
 */
export interface StatusMetadata {
  /** Amount of the loan, euros. */
  amount?: number | undefined
  /** Term of the loan, whole months. */
  term_months?: number | undefined
}

/**
 * The body of `POST /lead/{lead_id}/status`.
 * @category Reports
 */
export interface StatusUpdate {
  /** The event: `converted`, or an event name of either list. */
  status: string
  /** The advertiser that reports; a UUID. It must be the owner of the API key. */
  advertiser_id?: string | undefined
  /** Figures of the loan. */
  metadata?: StatusMetadata | undefined
}

/**
 * The response of `POST /lead/{lead_id}/status`.
 * @category Reports
 */
export interface StatusReply {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The status, as it was reported. */
  status: string
}

/**
 * The query of `GET /lead/{lead_id}/status`, the pixel.
 * @category Reports
 */
export interface EventReport {
  /** The signed token of the postback URL; valid for that lead only. Not empty. */
  token: string
  /** The event, by its name in either list. */
  event: string
  /** The advertiser's own reference of the lead. At most 255 characters. */
  ref?: string | undefined
}

/**
 * The response of `GET /lead/{lead_id}/status`.
 * @category Reports
 */
export interface EventReply {
  /** Id of the lead, a UUID. */
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
  /** The problem and its solution, for people. */
  message: string
  /** The issues of each field, at most 100; if there are more, the last one counts them. Only in a `400`. */
  details?: FieldIssue[] | undefined
}
