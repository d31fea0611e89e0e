import * as kind from '../field-kinds.fixture.ts'
import type { LeadSubmission } from '../interfaces.generated.ts'
import * as enumerations from './enumerations.ts'

/** A lead with every field. */
export const fullLead: LeadSubmission = {
  product_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  publisher_id: 'b1a6d9f0-7e42-4d6b-8a5c-0c9e4f3d2b17',
  customer: {
    external_id: 'crm-42',
    personal_data: {
      first_name: 'Ana',
      last_name: 'Prueba',
      second_surname: 'Ejemplo',
      birthday: '1990-05-17',
      identification_number: '00000000T',
      nacionality: 'PT',
      gender: 'female',
    },
    contact: {
      email: {
        address: 'ana@example.com',
        status: 'verified',
        verified_at: '2026-01-30T10:00:00Z',
        verification_method: 'link',
        source: 'form',
      },
      phone: {
        area_code: '+351',
        number: '600000000',
        status: 'pending',
        verified_at: '2026-01-30T10:00:00Z',
        verification_method: 'otp',
        source: 'form',
      },
    },
    address: {
      street: 'Calle Mayor',
      house: '1',
      floor: '2',
      apartment: 'B',
      city: 'Madrid',
      region: 'Madrid',
      postal_code: '28013',
      country: 'PT',
    },
    profile: {
      occupation: 'indefinite_employee',
      monthly_income: 1800,
      monthly_expenses: 600,
      marital_status: 'married',
      children: 2,
      education: 'masters',
      housing_tenure: 'rental',
      housing_type: 'apartment',
      company_sector: 'healthcare',
    },
    financial_instruments: [
      { type: 'bank_account', currency: 'USD', iban: 'ES9121000418450200051332', status: 'verified' },
    ],
  },
  product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
  consents: {
    entries: [
      {
        type: 'terms',
        accepted: true,
        accepted_at: '2026-01-31T09:30:00Z',
        version: '3',
        document_url: 'https://example.com/terms/3',
      },
      { type: 'privacy_policy', accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '5' },
    ],
    metadata: { ip_address: '203.0.113.7', user_agent: 'browser', collected_at: '2026-01-31T09:30:00Z' },
  },
  tracking: { click_id: 'c', sub_id: 's', campaign_id: 'k', source: 'https://example.com/loans' },
}

/** Returns a lead with the field at a dotted path changed; `undefined` removes it. */
export function leadWith(path: string, value: unknown, from: unknown = fullLead): unknown {
  const lead = structuredClone(from) as object
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce((at: object, key) => Reflect.get(at, key), lead)
  if (value === undefined) Reflect.deleteProperty(parent, last)
  else Reflect.set(parent, last, value)
  return lead
}

/** Returns the value at a dotted path. */
export function at(path: string, value: unknown): unknown {
  return path.split('.').reduce((parent, key) => Reflect.get(parent as object, key), value)
}

/**
 * A field of a submission: its statement in the specification, its path in the body, and the values that it accepts.
 */
export interface LeadField {
  readonly id: string
  readonly path: string
  readonly kind: kind.FieldKind
  readonly required: boolean
  /** The default for a missing value. */
  readonly filled?: unknown
  readonly nullable?: boolean
}

const required = (id: string, path: string, of: kind.FieldKind): LeadField => ({ id, path, kind: of, required: true })
const optional = (id: string, path: string, of: kind.FieldKind): LeadField => ({ id, path, kind: of, required: false })
const filled = (id: string, path: string, of: kind.FieldKind, value: unknown): LeadField => ({
  ...optional(id, path, of),
  filled: value,
})

const verification = (parent: string, prefix: string) => [
  optional(`${prefix}.status`, `${parent}.status`, kind.oneOf(enumerations.verificationStatuses)),
  optional(`${prefix}.verified_at`, `${parent}.verified_at`, kind.dateTime),
  optional(
    `${prefix}.verification_method`,
    `${parent}.verification_method`,
    kind.oneOf(enumerations.verificationMethods),
  ),
  optional(`${prefix}.source`, `${parent}.source`, kind.text),
]

const customer = [
  optional('2.2/external_id', 'customer.external_id', kind.text),
  required('2.2/personal_data', 'customer.personal_data', kind.object),
  required('2.2/contact', 'customer.contact', kind.object),
  optional('2.2/address', 'customer.address', kind.object),
  optional('2.2/profile', 'customer.profile', kind.object),
  optional('2.2/financial_instruments', 'customer.financial_instruments', kind.array),
  required('2.3/first_name', 'customer.personal_data.first_name', kind.filledText),
  required('2.3/last_name', 'customer.personal_data.last_name', kind.filledText),
  optional('2.3/second_surname', 'customer.personal_data.second_surname', kind.text),
  optional('2.3/birthday', 'customer.personal_data.birthday', kind.date),
  optional('2.3/identification_number', 'customer.personal_data.identification_number', kind.text),
  filled('2.3/nacionality', 'customer.personal_data.nacionality', kind.text, 'ES'),
  optional('2.3/gender', 'customer.personal_data.gender', kind.oneOf(enumerations.genders)),
  required('2.4/contact.email', 'customer.contact.email', kind.object),
  optional('2.4/contact.phone', 'customer.contact.phone', kind.object),
  required('2.4/email.address', 'customer.contact.email.address', kind.email),
  ...verification('customer.contact.email', '2.4/email'),
  filled('2.4/phone.area_code', 'customer.contact.phone.area_code', kind.text, '+34'),
  optional('2.4/phone.number', 'customer.contact.phone.number', kind.text),
  ...verification('customer.contact.phone', '2.4/phone'),
  ...['street', 'house', 'floor', 'apartment', 'city', 'region', 'postal_code'].map(name =>
    optional(`2.5/${name}`, `customer.address.${name}`, kind.text),
  ),
  filled('2.5/country', 'customer.address.country', kind.text, 'ES'),
  required('2.6/occupation', 'customer.profile.occupation', kind.oneOf(enumerations.occupationTypes)),
  required('2.6/monthly_income', 'customer.profile.monthly_income', kind.integer),
  optional('2.6/monthly_expenses', 'customer.profile.monthly_expenses', kind.integer),
  optional('2.6/marital_status', 'customer.profile.marital_status', kind.oneOf(enumerations.maritalStatuses)),
  filled('2.6/children', 'customer.profile.children', kind.integer, 0),
  optional('2.6/education', 'customer.profile.education', kind.oneOf(enumerations.educationLevels)),
  optional('2.6/housing_tenure', 'customer.profile.housing_tenure', kind.oneOf(enumerations.housingTenures)),
  optional('2.6/housing_type', 'customer.profile.housing_type', kind.oneOf(enumerations.housingTypes)),
  optional('2.6/company_sector', 'customer.profile.company_sector', kind.oneOf(enumerations.companySectors)),
  optional('2.7/type', 'customer.financial_instruments.0.type', kind.oneOf(enumerations.financialInstrumentTypes)),
  filled('2.7/currency', 'customer.financial_instruments.0.currency', kind.text, 'EUR'),
  optional('2.7/iban', 'customer.financial_instruments.0.iban', kind.text),
  optional('2.7/status', 'customer.financial_instruments.0.status', kind.oneOf(enumerations.verificationStatuses)),
]

/** Every field of a submission, in the specification's order. */
export const leadFields: readonly LeadField[] = [
  required('2.1/product_id', 'product_id', kind.uuid),
  required('2.1/publisher_id', 'publisher_id', kind.uuid),
  required('2.1/customer', 'customer', kind.object),
  required('2.1/product_data', 'product_data', kind.object),
  required('2.1/consents', 'consents', kind.object),
  optional('2.1/tracking', 'tracking', kind.object),
  ...customer,
  required('2.8/loan_amount, 8/loan_amount', 'product_data.loan_amount', kind.integerBetween(500, 75_000)),
  required('2.8/loan_purpose', 'product_data.loan_purpose', kind.oneOf(enumerations.loanPurposes)),
  required('2.8/loan_term_months, 8/loan_term_months', 'product_data.loan_term_months', kind.integerBetween(3, 84)),
  required('2.9/entries', 'consents.entries', kind.array),
  optional('2.9/metadata', 'consents.metadata', kind.object),
  required('2.9/entry.type', 'consents.entries.0.type', kind.filledText),
  required('2.9/entry.accepted', 'consents.entries.0.accepted', kind.boolean),
  required('2.9/entry.accepted_at', 'consents.entries.0.accepted_at', kind.dateTime),
  required('2.9/entry.version', 'consents.entries.0.version', kind.filledText),
  { ...optional('2.9/entry.document_url', 'consents.entries.0.document_url', kind.text), nullable: true },
  required('2.9/metadata.ip_address', 'consents.metadata.ip_address', kind.ipv4),
  optional('2.9/metadata.user_agent', 'consents.metadata.user_agent', kind.text),
  required('2.9/metadata.collected_at', 'consents.metadata.collected_at', kind.dateTime),
  optional('2.10/click_id', 'tracking.click_id', kind.text),
  optional('2.10/sub_id', 'tracking.sub_id', kind.text),
  optional('2.10/campaign_id', 'tracking.campaign_id', kind.text),
  optional('2.10/source', 'tracking.source', kind.uri),
]
