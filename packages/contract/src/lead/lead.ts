import * as z from 'zod/mini'
import { calendarDate, dateTime, emailAddress, ipv4, requiredString, uri, uuid } from '../format-shapes.ts'
import { rejectionReasons } from '../rejections.ts'
import {
  companySectors,
  educationLevels,
  financialInstrumentTypes,
  genders,
  housingTenures,
  housingTypes,
  leadStatuses,
  loanPurposes,
  maritalStatuses,
  occupationTypes,
  verificationMethods,
  verificationStatuses,
} from './enumerations.ts'
import {
  acceptedSaysWhen,
  defaultAreaCode,
  defaultChildren,
  defaultCountry,
  defaultCurrency,
  defaultNacionality,
  type Interpretation,
  loanAmountBounds,
  loanTermBounds,
  maxListItems,
} from './limits.ts'

// The single description of a lead. From these shapes and comments, `npm run generate` makes the interfaces with their
// comments, the SDKs' validator and hints, and the descriptions in the OpenAPI documents. It adds bounds and defaults
// to the comments.

/** Makes a field required if the interpretation requires it. Its type stays that of an optional field. */
function fieldBy<Shape extends z.ZodMiniType>(requirement: 'optional' | 'required', shape: Shape) {
  return requirement === 'required' ? (shape as unknown as z.ZodMiniOptional<Shape>) : z.optional(shape)
}

/**
 * Returns the shape of a text with a default, which also replaces an empty text: forms send one for a field left blank.
 */
function textOr(fallback: string) {
  return z._default(z.string().check(z.overwrite(text => text || fallback)), fallback)
}

/** Name, birthday and identity document. */ // Spec 2.3
export function personalData({ gender }: Interpretation) {
  return z.object({
    /** First name. */
    first_name: requiredString,
    /** Last name. */
    last_name: requiredString,
    /** Second surname. */
    second_surname: z.optional(z.string()),
    /** Date of birth, as `YYYY-MM-DD`; must be an existing date. */
    birthday: z.optional(calendarDate),
    /** Number of the national id, foreigner id or passport. */
    identification_number: z.optional(z.string()),
    /** Nationality. The wire uses this spelling. */
    nacionality: textOr(defaultNacionality),
    /** Gender. Required by the formal schema, but not by the prose. */
    gender: fieldBy(gender, z.enum(genders)),
  })
}

/** An e-mail address and its verification. */ // Spec 2.4
export const emailContact = z.object({
  /** The address, at most 254 characters. Identifies the customer within a product, ignoring letter case. */
  address: emailAddress,
  /** Verification status of the address. */
  status: z.optional(z.enum(verificationStatuses)),
  /** The time when the address was verified, RFC 3339 with a time zone. */
  verified_at: z.optional(dateTime),
  /** The verification method of the address. */
  verification_method: z.optional(z.enum(verificationMethods)),
  /** The source of the address. */
  source: z.optional(z.string()),
})

/** A phone number and its verification. */ // Spec 2.4
export const phoneContact = z.object({
  /** Country code. */
  area_code: textOr(defaultAreaCode),
  /** The number, without the country code. */
  number: z.optional(z.string()),
  /** Verification status of the number. */
  status: z.optional(z.enum(verificationStatuses)),
  /** The time when the number was verified, RFC 3339 with a time zone. */
  verified_at: z.optional(dateTime),
  /** The verification method of the number. */
  verification_method: z.optional(z.enum(verificationMethods)),
  /** The source of the number. */
  source: z.optional(z.string()),
})

/** The customer's e-mail address and phone number. */ // Spec 2.4
export const contact = z.object({
  /** E-mail address. */
  email: emailContact,
  /** Phone number. */
  phone: z.optional(phoneContact),
})

/** The customer's home address. */ // Spec 2.5
export const address = z.object({
  /** Street. */
  street: z.optional(z.string()),
  /** House number. */
  house: z.optional(z.string()),
  /** Floor. */
  floor: z.optional(z.string()),
  /** Apartment. */
  apartment: z.optional(z.string()),
  /** City. */
  city: z.optional(z.string()),
  /** Region or province. */
  region: z.optional(z.string()),
  /** Postal code. */
  postal_code: z.optional(z.string()),
  /** Country. */
  country: textOr(defaultCountry),
})

/** Work, income and household. */ // Spec 2.6
export const profile = z.object({
  /** Occupation. */
  occupation: z.enum(occupationTypes),
  /** Net monthly income, in whole euros. */
  monthly_income: z.int(),
  /** Monthly expenses, in whole euros. */
  monthly_expenses: z.optional(z.int()),
  /** Marital status. */
  marital_status: z.optional(z.enum(maritalStatuses)),
  /** Number of children. */
  children: z._default(z.int(), defaultChildren),
  /** Highest level of education. */
  education: z.optional(z.enum(educationLevels)),
  /** Housing tenure. */
  housing_tenure: z.optional(z.enum(housingTenures)),
  /** Type of housing. */
  housing_type: z.optional(z.enum(housingTypes)),
  /** The employer's sector. */
  company_sector: z.optional(z.enum(companySectors)),
})

/** A bank account or card. */ // Spec 2.7
export const financialInstrument = z.object({
  /** Type of instrument. */
  type: z.optional(z.enum(financialInstrumentTypes)),
  /** Currency. */
  currency: textOr(defaultCurrency),
  /** IBAN of the bank account. */
  iban: z.optional(z.string()),
  /** Verification status of the instrument. */
  status: z.optional(z.enum(verificationStatuses)),
})

/** The applicant. */ // Spec 2.2
export function customer(interpretation: Interpretation) {
  return z.object({
    /** The publisher's own id for the customer, for cross-reference. */
    external_id: z.optional(z.string()),
    /** Name, birthday and identity document. */
    personal_data: personalData(interpretation),
    /** The customer's contact data. The e-mail address identifies the customer within a product. */
    contact,
    /** Home address. */
    address: z.optional(address),
    /** Work, income and household. */
    profile: z.optional(profile),
    /** Bank accounts and cards. */
    financial_instruments: z.optional(z.array(financialInstrument).check(z.maxLength(maxListItems))),
  })
}

/** The loan applied for. */ // Spec 2.8
export const loanProductData = z.object({
  /** Amount, in whole euros. */
  loan_amount: z.int().check(z.gte(loanAmountBounds.min), z.lte(loanAmountBounds.max)),
  /** Loan purpose. */
  loan_purpose: z.enum(loanPurposes),
  /** Term, in months. */
  loan_term_months: z.int().check(z.gte(loanTermBounds.min), z.lte(loanTermBounds.max)),
})

/** Zod skips a check once a field has an issue; `when` runs it anyway, to list every issue. */
const saysWhen = z.refine<{ accepted?: unknown; accepted_at?: unknown }>(acceptedSaysWhen.holds, {
  path: [acceptedSaysWhen.field],
  message: acceptedSaysWhen.issue,
  when: ({ value }) => typeof value === 'object' && value !== null,
})

/** One consent. */ // Spec 2.9
export const consentEntry = z
  .object({
    /** Name of the consent: `terms`, `privacy_policy`, `marketing`, or another name that the publisher defines. */
    type: requiredString,
    /** True if the customer accepted. */
    accepted: z.boolean(),
    /** The time when the customer accepted, RFC 3339 with a time zone; `null` for a consent that was not accepted. */
    accepted_at: z.nullable(dateTime),
    /** Version label of the consent document. */
    version: requiredString,
    /** URL of the exact document shown to the customer. Recommended for audits. */
    document_url: z.optional(z.nullable(z.string())),
  })
  .check(saysWhen)

/** How the consents were collected. */ // Spec 2.9
export const consentMetadata = z.object({
  /** The customer's IPv4 address when consenting. */
  ip_address: ipv4,
  /** The customer's user agent when consenting. */
  user_agent: z.optional(z.string()),
  /** The time when the consents were collected, RFC 3339 with a time zone. */
  collected_at: dateTime,
})

/** The customer's consents. */ // Spec 2.9
export function consents({ consent_metadata }: Interpretation) {
  return z.object({
    /** One entry per consent. `terms` and `privacy_policy` are required and must be accepted. */
    entries: z.array(consentEntry).check(z.maxLength(maxListItems)),
    /** How the consents were collected. Required by the formal schema, but not by the prose. */
    metadata: fieldBy(consent_metadata, consentMetadata),
  })
}

/** Campaign attribution of a lead. */ // Spec 2.10
export const tracking = z.object({
  /** Id of the click that led to the lead. */
  click_id: z.optional(z.string()),
  /** The publisher's own sub-id. */
  sub_id: z.optional(z.string()),
  /** Id of the campaign. */
  campaign_id: z.optional(z.string()),
  /** URL of the site where the lead originated, percent-encoded. */
  source: z.optional(uri),
})

/** The body of `POST /lead`: one customer's loan application. */ // Spec 2.1
export function leadSubmission(interpretation: Interpretation) {
  return z.object({
    /** The product applied for: a UUID issued by the service's operator. */
    product_id: uuid,
    /** The publisher that submits the lead: a UUID issued by the service's operator together with the API key. */
    publisher_id: uuid,
    /** The applicant. */
    customer: customer(interpretation),
    /** The loan applied for. */
    product_data: loanProductData,
    /** The customer's consents. */
    consents: consents(interpretation),
    /** Campaign attribution. */
    tracking: z.optional(tracking),
  })
}

/** A validated lead with its defaults filled in. */ // Spec 8
export type Lead = z.output<ReturnType<typeof leadSubmission>>

/** The response to `POST /lead`. */ // Spec 2.12
export const leadResponse = z.object({
  /** The lead's id, a UUID. Absent or null if no lead was created. */
  lead_id: z.optional(z.nullable(uuid)),
  /** The outcome of the submission. */
  status: z.enum(leadStatuses),
  /** The URL to redirect the customer to. Only if `status` is `distributed`. */
  redirect_url: z.optional(z.nullable(uri)),
  /** The reason for the rejection. Only if `status` is `rejected`. */
  rejection_reason: z.optional(z.nullable(z.enum(rejectionReasons))),
})
