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

// The one description of a lead. `npm run generate` makes from these shapes and comments: the interfaces with their
// comments, the validator and the hints of the SDKs, the descriptions of the OpenAPI documents. It adds the bounds and
// defaults to a comment.

/** Returns a field as the interpretation requires it. Its type is that of an optional field. */
function fieldBy<Shape extends z.ZodMiniType>(requirement: 'optional' | 'required', shape: Shape) {
  return requirement === 'required' ? (shape as unknown as z.ZodMiniOptional<Shape>) : z.optional(shape)
}

/** Returns a text that has its default where it is missing, and where it is empty: forms send that for a field left out. */
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
    /** Birthday, as `YYYY-MM-DD`; a day that exists. */
    birthday: z.optional(calendarDate),
    /** Number of the national id, foreigner id or passport. */
    identification_number: z.optional(z.string()),
    /** Nationality; this is the spelling on the wire. */
    nacionality: textOr(defaultNacionality),
    /** Gender; the formal schema requires it, the prose does not. */
    gender: fieldBy(gender, z.enum(genders)),
  })
}

/** An e-mail address and its verification. */ // Spec 2.4
export const emailContact = z.object({
  /** The address, at most 254 characters; identifies the customer within a product, ignoring letter case. */
  address: emailAddress,
  /** Verification status of the address. */
  status: z.optional(z.enum(verificationStatuses)),
  /** The time when the address was verified, RFC 3339 with a zone. */
  verified_at: z.optional(dateTime),
  /** The method of verification of the address. */
  verification_method: z.optional(z.enum(verificationMethods)),
  /** The place where the address was collected. */
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
  /** The time when the number was verified, RFC 3339 with a zone. */
  verified_at: z.optional(dateTime),
  /** The method of verification of the number. */
  verification_method: z.optional(z.enum(verificationMethods)),
  /** The place where the number was collected. */
  source: z.optional(z.string()),
})

/** The customer's e-mail address and phone number. */ // Spec 2.4
export const contact = z.object({
  /** E-mail. */
  email: emailContact,
  /** Phone. */
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
  /** Net monthly income, whole euros. */
  monthly_income: z.int(),
  /** Monthly expenses, whole euros. */
  monthly_expenses: z.optional(z.int()),
  /** Marital status. */
  marital_status: z.optional(z.enum(maritalStatuses)),
  /** Number of children. */
  children: z._default(z.int(), defaultChildren),
  /** Highest level of education. */
  education: z.optional(z.enum(educationLevels)),
  /** Owner or tenant of the home. */
  housing_tenure: z.optional(z.enum(housingTenures)),
  /** Type of home. */
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
  /** IBAN of a bank account. */
  iban: z.optional(z.string()),
  /** Verification status of the instrument. */
  status: z.optional(z.enum(verificationStatuses)),
})

/** The applicant. */ // Spec 2.2
export function customer(interpretation: Interpretation) {
  return z.object({
    /** The publisher's own id of the customer, kept for cross-reference. */
    external_id: z.optional(z.string()),
    /** Name, birthday and identity document. */
    personal_data: personalData(interpretation),
    /** The customer's contact data; the email address identifies the customer within a product. */
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
  /** Amount, whole euros. */
  loan_amount: z.int().check(z.gte(loanAmountBounds.min), z.lte(loanAmountBounds.max)),
  /** Purpose of the loan. */
  loan_purpose: z.enum(loanPurposes),
  /** Term, months. */
  loan_term_months: z.int().check(z.gte(loanTermBounds.min), z.lte(loanTermBounds.max)),
})

/** Zod skips a check once a field has an issue; `when` runs it all the same, to list every issue. */
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
    /** The time when the customer accepted, RFC 3339 with a zone; `null` for a consent that was not accepted. */
    accepted_at: z.nullable(dateTime),
    /** Version label of the consent document. */
    version: requiredString,
    /** URL of the exact document that the customer saw. Recommended for audits. */
    document_url: z.optional(z.nullable(z.string())),
  })
  .check(saysWhen)

/** The circumstances in which the consents were collected. */ // Spec 2.9
export const consentMetadata = z.object({
  /** IPv4 address from which the customer agreed. */
  ip_address: ipv4,
  /** User agent with which the customer agreed. */
  user_agent: z.optional(z.string()),
  /** The time when the consents were collected, RFC 3339 with a zone. */
  collected_at: dateTime,
})

/** The customer's consents. */ // Spec 2.9
export function consents({ consent_metadata }: Interpretation) {
  return z.object({
    /** One entry for each consent. `terms` and `privacy_policy` are required, accepted. */
    entries: z.array(consentEntry).check(z.maxLength(maxListItems)),
    /** The circumstances in which the consents were collected; the formal schema requires it, the prose does not. */
    metadata: fieldBy(consent_metadata, consentMetadata),
  })
}

/** Campaign attribution of a lead. */ // Spec 2.10
export const tracking = z.object({
  /** Id of the click that brought the customer. */
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
    /** The product applied for; a UUID issued by the service's operator. */
    product_id: uuid,
    /** The publisher that submits the lead; a UUID issued by the service's operator together with the API key. */
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

/** A lead whose shape was checked and whose defaults are filled in. */ // Spec 8
export type Lead = z.output<ReturnType<typeof leadSubmission>>

/** The response of `POST /lead`. */ // Spec 2.12
export const leadResponse = z.object({
  /** Id of the lead, a UUID; absent or null if no lead was created. */
  lead_id: z.optional(z.nullable(uuid)),
  /** The result of the submission. */
  status: z.enum(leadStatuses),
  /** The URL to send the customer to; only if `status` is `distributed`. */
  redirect_url: z.optional(z.nullable(uri)),
  /** The reason for the rejection; only if `status` is `rejected`. */
  rejection_reason: z.optional(z.nullable(z.enum(rejectionReasons))),
})
