import * as enumerations from '../enumerations.ts'
import * as kind from '../field-kinds.fixture.ts'

/** One field of a lead submission: its statement of the specification, its path in the body, and what it accepts. */
export interface LeadField {
  readonly id: string
  readonly path: string
  readonly kind: kind.FieldKind
  readonly required: boolean
  /** What is filled in where the field is missing. */
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

/** Every field of a lead submission, in the order of the specification. */
export const leadFields: readonly LeadField[] = [
  required('2.1/product_id', 'product_id', kind.uuid),
  required('2.1/publisher_id', 'publisher_id', kind.uuid),
  required('2.1/customer', 'customer', kind.object),
  required('2.1/product_data', 'product_data', kind.object),
  required('2.1/consents', 'consents', kind.object),
  optional('2.1/tracking', 'tracking', kind.object),
  ...customer,
  required('2.8/loan_amount', 'product_data.loan_amount', kind.integerBetween(500, 75_000)),
  required('2.8/loan_purpose', 'product_data.loan_purpose', kind.oneOf(enumerations.loanPurposes)),
  required('2.8/loan_term_months', 'product_data.loan_term_months', kind.integerBetween(3, 84)),
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
