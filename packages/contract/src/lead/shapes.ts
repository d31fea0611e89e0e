import * as z from 'zod/mini'
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
  rejectionReasons,
  verificationMethods,
  verificationStatuses,
} from '../enumerations.ts'
import { calendarDate, dateTime, emailAddress, ipv4, requiredString, uri, uuid } from '../format-shapes.ts'
import type { Interpretation } from '../interpretation.ts'
import { defaultAreaCode, defaultChildren, defaultCountry, defaultCurrency, defaultNacionality } from './customer.ts'
import { acceptedSaysWhen, loanAmountBounds, loanTermBounds, maxListItems } from './lead.ts'

const gender = z.enum(genders)

/** The shape of the personal data. */ // Spec 2.3
export function personalData(interpretation: Interpretation) {
  return z.object({
    first_name: requiredString,
    last_name: requiredString,
    second_surname: z.optional(z.string()),
    birthday: z.optional(calendarDate),
    identification_number: z.optional(z.string()),
    nacionality: z._default(z.string(), defaultNacionality),
    gender:
      interpretation.gender === 'required'
        ? (gender as unknown as z.ZodMiniOptional<typeof gender>)
        : z.optional(gender),
  })
}

const verification = {
  status: z.optional(z.enum(verificationStatuses)),
  verified_at: z.optional(dateTime),
  verification_method: z.optional(z.enum(verificationMethods)),
  source: z.optional(z.string()),
}

/** The shape of an e-mail contact. */ // Spec 2.4
export const emailContact = z.object({ address: emailAddress, ...verification })

/** The shape of a phone contact. */ // Spec 2.4
export const phoneContact = z.object({
  area_code: z._default(z.string(), defaultAreaCode),
  number: z.optional(z.string()),
  ...verification,
})

/** The shape of a contact. */ // Spec 2.4
export const contact = z.object({ email: emailContact, phone: z.optional(phoneContact) })

/** The shape of an address. */ // Spec 2.5
export const address = z.object({
  street: z.optional(z.string()),
  house: z.optional(z.string()),
  floor: z.optional(z.string()),
  apartment: z.optional(z.string()),
  city: z.optional(z.string()),
  region: z.optional(z.string()),
  postal_code: z.optional(z.string()),
  country: z._default(z.string(), defaultCountry),
})

/** The shape of a profile. */ // Spec 2.6
export const profile = z.object({
  occupation: z.enum(occupationTypes),
  monthly_income: z.int(),
  monthly_expenses: z.optional(z.int()),
  marital_status: z.optional(z.enum(maritalStatuses)),
  children: z._default(z.int(), defaultChildren),
  education: z.optional(z.enum(educationLevels)),
  housing_tenure: z.optional(z.enum(housingTenures)),
  housing_type: z.optional(z.enum(housingTypes)),
  company_sector: z.optional(z.enum(companySectors)),
})

/** The shape of a financial instrument. */ // Spec 2.7
export const financialInstrument = z.object({
  type: z.optional(z.enum(financialInstrumentTypes)),
  currency: z._default(z.string(), defaultCurrency),
  iban: z.optional(z.string()),
  status: z.optional(z.enum(verificationStatuses)),
})

/** The shape of a customer. */ // Spec 2.2
export function customer(interpretation: Interpretation) {
  return z.object({
    external_id: z.optional(z.string()),
    personal_data: personalData(interpretation),
    contact,
    address: z.optional(address),
    profile: z.optional(profile),
    financial_instruments: z.optional(z.array(financialInstrument).check(z.maxLength(maxListItems))),
  })
}

/** The shape of the loan applied for. */ // Spec 2.8
export const loanProductData = z.object({
  loan_amount: z.int().check(z.gte(loanAmountBounds.min), z.lte(loanAmountBounds.max)),
  loan_purpose: z.enum(loanPurposes),
  loan_term_months: z.int().check(z.gte(loanTermBounds.min), z.lte(loanTermBounds.max)),
})

/**
 * Zod skips a check once a field of the object has an issue; `when` makes it run all the same, so that a reply lists
 * every issue at once.
 */
const saysWhen = z.refine<{ accepted?: unknown; accepted_at?: unknown }>(acceptedSaysWhen.holds, {
  path: [acceptedSaysWhen.field],
  message: acceptedSaysWhen.issue,
  when: ({ value }) => typeof value === 'object' && value !== null,
})

/** The shape of one consent. */ // Spec 2.9
export const consentEntry = z
  .object({
    type: requiredString,
    accepted: z.boolean(),
    accepted_at: z.nullable(dateTime),
    version: requiredString,
    document_url: z.optional(z.nullable(z.string())),
  })
  .check(saysWhen)

/** The shape of how consents were collected. */ // Spec 2.9
export const consentMetadata = z.object({
  ip_address: ipv4,
  user_agent: z.optional(z.string()),
  collected_at: dateTime,
})

/** The shape of the consents. */ // Spec 2.9
export function consents(interpretation: Interpretation) {
  const required = consentMetadata as unknown as z.ZodMiniOptional<typeof consentMetadata>
  return z.object({
    entries: z.array(consentEntry).check(z.maxLength(maxListItems)),
    metadata: interpretation.consent_metadata === 'required' ? required : z.optional(consentMetadata),
  })
}

/** The shape of the tracking data. */ // Spec 2.10
export const tracking = z.object({
  click_id: z.optional(z.string()),
  sub_id: z.optional(z.string()),
  campaign_id: z.optional(z.string()),
  source: z.optional(uri),
})

/** The shape of `POST /lead`'s body under an interpretation of what the specification leaves open. */ // Spec 2.1
export function leadSubmission(interpretation: Interpretation) {
  return z.object({
    product_id: uuid,
    publisher_id: uuid,
    customer: customer(interpretation),
    product_data: loanProductData,
    consents: consents(interpretation),
    tracking: z.optional(tracking),
  })
}

/** A lead whose shape was checked and whose defaults are filled in. */ // Spec 8
export type Lead = z.output<ReturnType<typeof leadSubmission>>

/** The shape of `POST /lead`'s reply. */ // Spec 2.12
export const leadResponse = z.object({
  lead_id: z.optional(z.nullable(uuid)),
  status: z.enum(leadStatuses),
  redirect_url: z.optional(z.nullable(uri)),
  rejection_reason: z.optional(z.nullable(z.enum(rejectionReasons))),
})
