// Generated from the shape of a lead by `npm run generate`. Change the shapes instead.
import { companySectors, educationLevels, financialInstrumentTypes, genders, housingTenures, housingTypes, loanPurposes, maritalStatuses, occupationTypes, verificationMethods, verificationStatuses } from './enumerations.ts'
import { isCalendarDate, isDateTime, isEmail, isIpv4, isUri, isUuid } from '../formats.ts'
import { acceptedSaysWhen } from './limits.ts'
import type { FieldDescription } from '../validation/validator.ts'

/** The fields of a lead, as `describeShape` describes them. */
export const leadFields: FieldDescription = {
  type: 'object',
  fields: {
    product_id: { type: 'text', format: { name: 'uuid', fits: isUuid } },
    publisher_id: { type: 'text', format: { name: 'uuid', fits: isUuid } },
    customer: {
      type: 'object',
      fields: {
        external_id: { type: 'text', optional: true },
        personal_data: {
          type: 'object',
          fields: {
            first_name: { type: 'text', filled: true },
            last_name: { type: 'text', filled: true },
            second_surname: { type: 'text', optional: true },
            birthday: { type: 'text', format: { name: 'date', fits: isCalendarDate }, optional: true },
            identification_number: { type: 'text', optional: true },
            nacionality: { type: 'text', optional: true },
            gender: { type: 'enum', values: genders, optional: 'gender' }
          }
        },
        contact: {
          type: 'object',
          fields: {
            email: {
              type: 'object',
              fields: {
                address: { type: 'text', format: { name: 'email', fits: isEmail } },
                status: { type: 'enum', values: verificationStatuses, optional: true },
                verified_at: { type: 'text', format: { name: 'date-time', fits: isDateTime }, optional: true },
                verification_method: { type: 'enum', values: verificationMethods, optional: true },
                source: { type: 'text', optional: true }
              }
            },
            phone: {
              type: 'object',
              fields: {
                area_code: { type: 'text', optional: true },
                number: { type: 'text', optional: true },
                status: { type: 'enum', values: verificationStatuses, optional: true },
                verified_at: { type: 'text', format: { name: 'date-time', fits: isDateTime }, optional: true },
                verification_method: { type: 'enum', values: verificationMethods, optional: true },
                source: { type: 'text', optional: true }
              },
              optional: true
            }
          }
        },
        address: {
          type: 'object',
          fields: {
            street: { type: 'text', optional: true },
            house: { type: 'text', optional: true },
            floor: { type: 'text', optional: true },
            apartment: { type: 'text', optional: true },
            city: { type: 'text', optional: true },
            region: { type: 'text', optional: true },
            postal_code: { type: 'text', optional: true },
            country: { type: 'text', optional: true }
          },
          optional: true
        },
        profile: {
          type: 'object',
          fields: {
            occupation: { type: 'enum', values: occupationTypes },
            monthly_income: { type: 'integer' },
            monthly_expenses: { type: 'integer', optional: true },
            marital_status: { type: 'enum', values: maritalStatuses, optional: true },
            children: { type: 'integer', optional: true },
            education: { type: 'enum', values: educationLevels, optional: true },
            housing_tenure: { type: 'enum', values: housingTenures, optional: true },
            housing_type: { type: 'enum', values: housingTypes, optional: true },
            company_sector: { type: 'enum', values: companySectors, optional: true }
          },
          optional: true
        },
        financial_instruments: {
          type: 'list',
          items: {
            type: 'object',
            fields: {
              type: { type: 'enum', values: financialInstrumentTypes, optional: true },
              currency: { type: 'text', optional: true },
              iban: { type: 'text', optional: true },
              status: { type: 'enum', values: verificationStatuses, optional: true }
            }
          },
          maxItems: 100,
          optional: true
        }
      }
    },
    product_data: {
      type: 'object',
      fields: {
        loan_amount: { type: 'integer', min: 500, max: 75000 },
        loan_purpose: { type: 'enum', values: loanPurposes },
        loan_term_months: { type: 'integer', min: 3, max: 84 }
      }
    },
    consents: {
      type: 'object',
      fields: {
        entries: {
          type: 'list',
          items: {
            type: 'object',
            fields: {
              type: { type: 'text', filled: true },
              accepted: { type: 'boolean' },
              accepted_at: { type: 'text', format: { name: 'date-time', fits: isDateTime }, nullable: true },
              version: { type: 'text', filled: true },
              document_url: { type: 'text', nullable: true, optional: true }
            },
            condition: acceptedSaysWhen
          },
          maxItems: 100
        },
        metadata: {
          type: 'object',
          fields: {
            ip_address: { type: 'text', format: { name: 'ipv4', fits: isIpv4 } },
            user_agent: { type: 'text', optional: true },
            collected_at: { type: 'text', format: { name: 'date-time', fits: isDateTime } }
          },
          optional: 'consent_metadata'
        }
      }
    },
    tracking: {
      type: 'object',
      fields: {
        click_id: { type: 'text', optional: true },
        sub_id: { type: 'text', optional: true },
        campaign_id: { type: 'text', optional: true },
        source: { type: 'text', format: { name: 'uri', fits: isUri }, optional: true }
      },
      optional: true
    }
  }
}
