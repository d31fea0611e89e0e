// Generated from the shape of a lead by `npm run generate`. Change the shape instead.
import { acceptedSaysWhen, companySectors, educationLevels, financialInstrumentTypes, genders, housingTenures, housingTypes, isCalendarDate, isDateTime, isEmail, isUri, isUuid, loanPurposes, maritalStatuses, occupationTypes, verificationMethods, verificationStatuses } from '../index.ts'
import { boolean, filledText, format, integer, list, nullable, object, oneOf, optional, optionalBy, pattern, text, type Validator } from '../validation/validator.ts'

/** The validator that finds what the shape `leadSubmission` finds. */
export const leadValidator = (): Validator =>
  object({
    product_id: format('uuid', isUuid),
    publisher_id: format('uuid', isUuid),
    customer: object({
      external_id: optional(text),
      personal_data: object({
        first_name: filledText,
        last_name: filledText,
        second_surname: optional(text),
        birthday: optional(format('date', isCalendarDate)),
        identification_number: optional(text),
        nacionality: optional(text),
        gender: optionalBy('gender', oneOf(genders)),
      }),
      contact: object({
        email: object({
          address: format('email', isEmail),
          status: optional(oneOf(verificationStatuses)),
          verified_at: optional(format('date-time', isDateTime)),
          verification_method: optional(oneOf(verificationMethods)),
          source: optional(text),
        }),
        phone: optional(object({
          area_code: optional(text),
          number: optional(text),
          status: optional(oneOf(verificationStatuses)),
          verified_at: optional(format('date-time', isDateTime)),
          verification_method: optional(oneOf(verificationMethods)),
          source: optional(text),
        })),
      }),
      address: optional(object({
        street: optional(text),
        house: optional(text),
        floor: optional(text),
        apartment: optional(text),
        city: optional(text),
        region: optional(text),
        postal_code: optional(text),
        country: optional(text),
      })),
      profile: optional(object({
        occupation: oneOf(occupationTypes),
        monthly_income: integer(),
        monthly_expenses: optional(integer()),
        marital_status: optional(oneOf(maritalStatuses)),
        children: optional(integer()),
        education: optional(oneOf(educationLevels)),
        housing_tenure: optional(oneOf(housingTenures)),
        housing_type: optional(oneOf(housingTypes)),
        company_sector: optional(oneOf(companySectors)),
      })),
      financial_instruments: optional(list(object({
        type: optional(oneOf(financialInstrumentTypes)),
        currency: optional(text),
        iban: optional(text),
        status: optional(oneOf(verificationStatuses)),
      }), 100)),
    }),
    product_data: object({
      loan_amount: integer(500, 75000),
      loan_purpose: oneOf(loanPurposes),
      loan_term_months: integer(3, 84),
    }),
    consents: object({
      entries: list(object({
        type: filledText,
        accepted: boolean,
        accepted_at: nullable(format('date-time', isDateTime)),
        version: filledText,
        document_url: optional(nullable(text)),
      }, acceptedSaysWhen), 100),
      metadata: optionalBy('consent_metadata', object({
        ip_address: pattern('ipv4', /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])$/),
        user_agent: optional(text),
        collected_at: format('date-time', isDateTime),
      })),
    }),
    tracking: optional(object({
      click_id: optional(text),
      sub_id: optional(text),
      campaign_id: optional(text),
      source: optional(format('uri', isUri)),
    })),
  })
