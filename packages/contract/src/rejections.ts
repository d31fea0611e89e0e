import {
  type Band,
  type CriteriaOf,
  type Criterion,
  isInside,
  nearestInside,
  type ReadonlyCriteria,
  sharedBand,
} from './criteria.ts'
import { ipv4InRange, isIpv4Range } from './ip-network.ts'
import { type OccupationType, occupationTypes } from './lead/enumerations.ts'
import { loanAmountBounds, loanTermBounds } from './lead/limits.ts'

// The list of rejections: a new one gets its reason, criterion and row here. The rows call nothing at module load, so
// that bundlers can drop unused ones.

/** Rejection reason. */ // Spec 2.12
export const rejectionReasons = [
  'customer_already_exists',
  'duplicate_submission',
  'eligibility_failed',
  'age_restriction',
  'income_insufficient',
  'geographic_restriction',
  'consents_missing',
  'invalid_product',
  'blacklisted',
  'fraud_suspected',
] as const
/**
 * Rejection reason.
 * @category Leads
 */ // Spec 2.12
export type RejectionReason = (typeof rejectionReasons)[number]

/** The criteria of a product. The specification defines none: each product publishes its own. */
export const productCriteria = {
  /** Minimum age of a customer. */
  min_age: { type: 'integer', unit: 'years', max: 200, default: 18 },
  /** Maximum age of a customer, until the day before the next birthday. */
  max_age: { type: 'integer', unit: 'years', max: 200, default: 75 },
  /** Minimum net monthly income, for customers who state one. */
  minimum_monthly_income: { type: 'integer', unit: 'euros', default: 600 },
  /** Accepted countries of residence. */
  countries: {
    type: 'list',
    format: { pattern: /^[A-Z]{2}$/, issue: 'must be a country of two capital letters, such as ES' },
    // There are 249 countries.
    maxItems: 250,
    default: ['ES'],
  },
  /** Loan amounts. */
  loan_amount: { type: 'band', unit: 'euros', default: loanAmountBounds },
  /** Loan terms. */
  loan_term_months: { type: 'band', unit: 'months', default: loanTermBounds },
  /** Excluded occupations. */
  occupations_excluded: { type: 'list', values: occupationTypes, default: ['unemployed'] as OccupationType[] },
  /** IPv4 networks (CIDR). Consents from an address inside one count as fraud. */
  fraud_ip_ranges: {
    type: 'list',
    format: { accepts: isIpv4Range, issue: 'must be an IPv4 network, such as 192.0.2.0/24' },
    maxItems: 100,
    // TEST-NET-1 (RFC 5737): no real customer is there.
    default: ['192.0.2.0/24'],
  },
} as const satisfies Readonly<Record<string, Criterion>>

/** The criteria of a product. The specification defines none: each product publishes its own. */
export type ProductCriteria = CriteriaOf<typeof productCriteria>

/**
 * The kind of a rejection. `semantic`: invalid data, a 422 or a rejection depending on the switch `semantic_refusals`.
 * `without_lead`: a business rejection that stores nothing. `with_lead`: one that stores the lead and starts the
 * duplicate window.
 */
export type RejectionKind = 'semantic' | 'without_lead' | 'with_lead'

/** A check that rejects leads. */
export interface Rejection {
  /** Its name in a trace. */
  readonly check: string
  readonly reason: RejectionReason
  readonly kind: RejectionKind
  /** The reason why its test lead is rejected: one sentence. */
  readonly because: string
  /** The path in the account of the values that the check compares with, if any. */
  readonly published?: string
}

/** Every check by the name of its test lead, in order. The first that rejects decides. */
export const rejections = {
  unknownProduct: {
    check: 'product',
    reason: 'invalid_product',
    kind: 'semantic',
    because: 'No product has the nil UUID.',
  },
  consentsMissing: {
    check: 'consents',
    reason: 'consents_missing',
    kind: 'semantic',
    because: 'The privacy policy is declined, but both `terms` and `privacy_policy` must be accepted.',
  },
  invalidProduct: {
    check: 'product_active',
    reason: 'invalid_product',
    kind: 'without_lead',
    because: 'The product exists, but is inactive.',
    published: 'products[].active',
  },
  blacklisted: {
    check: 'blacklist',
    reason: 'blacklisted',
    kind: 'with_lead',
    because:
      'The customer has the document number, or else the phone number or the e-mail address, of a blacklist entry.',
    published: 'blacklist',
  },
  customerAlreadyExists: {
    check: 'customer',
    reason: 'customer_already_exists',
    kind: 'without_lead',
    because: 'The e-mail address already has a lead for the product, from the first submission.',
  },
  duplicateSubmission: {
    check: 'duplicate',
    reason: 'duplicate_submission',
    kind: 'without_lead',
    because: 'The first submission for the e-mail address was rejected within the duplicate window.',
    published: 'settings.duplicate_window',
  },
  fraudSuspected: {
    check: 'fraud',
    reason: 'fraud_suspected',
    kind: 'with_lead',
    because: 'The consents were given from an address inside a listed network.',
    published: 'products[].criteria.fraud_ip_ranges',
  },
  ageRestricted: {
    check: 'age',
    reason: 'age_restriction',
    kind: 'with_lead',
    because: 'The customer is a year too young, or too old if no age is too young.',
    published: 'products[].criteria: min_age, max_age',
  },
  incomeInsufficient: {
    check: 'income',
    reason: 'income_insufficient',
    kind: 'with_lead',
    because: 'The income is one euro below the minimum.',
    published: 'products[].criteria.minimum_monthly_income',
  },
  geographicRestriction: {
    check: 'geography',
    reason: 'geographic_restriction',
    kind: 'with_lead',
    because: 'The country of the address is not on the list.',
    published: 'products[].criteria.countries',
  },
  eligibilityFailed: {
    check: 'eligibility',
    reason: 'eligibility_failed',
    kind: 'with_lead',
    because: "The amount, or else the term, is just outside the product's range; or else the occupation is excluded.",
    published: 'products[].criteria: loan_amount, loan_term_months, occupations_excluded',
  },
} as const satisfies Readonly<Record<string, Rejection>>

/** The name of a check and of its test lead. */
export type RejectionName = keyof typeof rejections

/** The statement of the specification about each reason (Spec 2.12). */
export const rejectionStatements = {
  '2.12/customer_already_exists': 'A second lead for the same e-mail address and product is rejected.',
  '2.12/duplicate_submission': 'A customer who returns too soon is rejected, and may return later.',
  '2.12/eligibility_failed': "A lead that does not meet the product's criteria is rejected.",
  '2.12/age_restriction': 'A customer outside the accepted ages is rejected.',
  '2.12/income_insufficient': 'A customer whose income is below the threshold is rejected.',
  '2.12/geographic_restriction': 'A customer who lives where the product is not offered is rejected.',
  '2.12/consents_missing': 'A lead without both required consents is rejected.',
  '2.12/invalid_product': 'A lead for a product that does not exist or is not active is rejected.',
  '2.12/blacklisted': 'A customer on the blacklist is rejected.',
  '2.12/fraud_suspected': 'A submission that shows signs of fraud is rejected.',
} as const satisfies Readonly<Record<`2.12/${RejectionReason}`, string>>

/** Values of a lead's fields, by path. */
export type FieldValues = Readonly<Record<string, unknown>>

/** The data that the fields of a test lead depend on. */
export interface RejectionContext {
  /** The criteria of the product applied for. */
  readonly criteria: ReadonlyCriteria<ProductCriteria>
  /** Every product of the account. */
  readonly products: readonly { readonly product_id: string; readonly active: boolean }[]
  readonly blacklist: readonly { readonly [Name in keyof typeof blacklistFields]?: string | undefined }[]
  readonly today: Date
}

/** Leads on both sides of a check. */
export interface RejectedLead {
  /** The required outcome of the same customer's earlier lead. */
  readonly after?: 'creation' | 'rejection'
  /** Returns the fields that an ordinary lead needs to pass, if its own may not. Throws if no lead can pass. */
  passing?(context: RejectionContext): FieldValues
  /** Returns leads just inside the criteria, one for each limit. */
  inside?(context: RejectionContext): readonly FieldValues[]
  /** Returns leads just outside the criteria. The first is the test lead. */
  outside?(context: RejectionContext): readonly FieldValues[]
  /** The error if no lead is outside: the problem with the account, and what to change. */
  readonly nothingOutside?: string
}

/** The test leads of each check, in the same order. */
export const rejectionLeads = {
  /** A product that does not exist. */
  unknownProduct: {
    outside: () => [{ product_id: '00000000-0000-0000-0000-000000000000' }],
  },
  /** The privacy policy is not accepted. */
  consentsMissing: {
    outside: () => [{ 'consents.entries.1.accepted': false, 'consents.entries.1.accepted_at': null }],
  },
  /** An inactive product. */
  invalidProduct: {
    outside: ({ products }) => products.filter(({ active }) => !active).map(({ product_id }) => ({ product_id })),
    nothingOutside: 'Every product of the account is active: add one with active: false.',
  },
  /** A customer on the account's blacklist. */
  blacklisted: {
    // Uses the document number if any entry has one, so that the e-mail address stays new.
    outside: ({ blacklist }) =>
      (['identification_number', 'phone', 'email'] as const).flatMap(name =>
        blacklist.flatMap(({ [name]: value }) => (value === undefined ? [] : [{ [blacklistFields[name]]: value }])),
      ),
    nothingOutside:
      "The blacklist is empty: add an entry, such as an identification_number, to the account's blacklist.",
  },
  /** The second lead of a customer. */
  customerAlreadyExists: {
    after: 'creation',
  },
  /** A lead submitted too soon after a rejected one. */
  duplicateSubmission: {
    after: 'rejection',
  },
  /** Consents from a network that counts as fraud. */
  fraudSuspected: {
    passing: ({ criteria }) => ({ [addressField]: addressOutside(criteria.fraud_ip_ranges) }),
    outside: ({ criteria }) => criteria.fraud_ip_ranges.map(range => ({ [addressField]: range.split('/')[0] })),
    nothingOutside: "No test lead counts as fraud: add a network to the product's fraud_ip_ranges.",
  },
  /** A customer too young, or too old if no age is too young. */
  ageRestricted: {
    // Half a year from any birthday: no clock is off by that much.
    inside: ({ criteria, today }) =>
      [criteria.min_age, criteria.max_age].map(age => ({ [birthdayField]: bornAgo(today, age, 6) })),
    // One year too young, so that the customer stays too young for about a year; or too old, which stays true.
    outside: ({ criteria, today }) => [
      ...(criteria.min_age > 0 ? [{ [birthdayField]: bornAgo(today, criteria.min_age - 1, 0) }] : []),
      { [birthdayField]: bornAgo(today, criteria.max_age + 1, 6) },
    ],
  },
  /** An income one euro below the product's threshold. */
  incomeInsufficient: {
    inside: ({ criteria }) => [employed(criteria.minimum_monthly_income)],
    outside: ({ criteria }) =>
      criteria.minimum_monthly_income > 0 ? [employed(criteria.minimum_monthly_income - 1)] : [],
    nothingOutside: "No income is too low: raise the product's minimum_monthly_income above 0.",
  },
  /** A customer in a country that the product excludes. */
  geographicRestriction: {
    inside: ({ criteria }) => criteria.countries.map(country => ({ 'customer.address': { country } })),
    outside: ({ criteria }) =>
      ['PT', 'FR', 'IT', 'DE', 'GB', 'US', 'MX', 'BR', 'JP']
        .filter(country => !criteria.countries.includes(country))
        .map(country => ({ 'customer.address': { country } })),
    nothingOutside:
      "The product accepts every test lead's country: remove one of PT, FR, IT, DE, GB, US, MX, BR, JP from its countries.",
  },
  /** A loan or an occupation that the product excludes. */
  eligibilityFailed: {
    passing: ({ criteria }) => {
      const { loan_amount, loan_term_months } = admittedLoans(criteria)
      return {
        'product_data.loan_amount': nearestInside(loan_amount, 5000),
        'product_data.loan_term_months': nearestInside(loan_term_months, 24),
      }
    },
    inside: ({ criteria }) => {
      const { loan_amount, loan_term_months } = admittedLoans(criteria)
      const [shortest, longest] = [loan_term_months.min, loan_term_months.max]
      return [
        { 'product_data.loan_amount': loan_amount.min, 'product_data.loan_term_months': shortest },
        { 'product_data.loan_amount': loan_amount.max, 'product_data.loan_term_months': longest },
        employed(Math.max(usualIncome, criteria.minimum_monthly_income)),
      ]
    },
    outside: ({ criteria }) => [
      ...nextOutside(criteria.loan_amount, loanAmountBounds).map(value => ({ 'product_data.loan_amount': value })),
      ...nextOutside(criteria.loan_term_months, loanTermBounds).map(value => ({
        'product_data.loan_term_months': value,
      })),
      ...criteria.occupations_excluded.map(occupation =>
        employed(Math.max(usualIncome, criteria.minimum_monthly_income), occupation),
      ),
    ],
    nothingOutside:
      "Every loan and every occupation is eligible: narrow the product's loan_amount or loan_term_months, or add an occupation to its occupations_excluded.",
  },
} as const satisfies Readonly<Record<RejectionName, RejectedLead>>

/** Documentation addresses (RFC 5737), which no customer has. An ordinary lead uses the first. */
export const documentationAddresses = ['203.0.113.7', '198.51.100.7', '192.0.2.7'] as const

const addressField = 'consents.metadata.ip_address'
const birthdayField = 'customer.personal_data.birthday'
const blacklistFields = {
  identification_number: 'customer.personal_data.identification_number',
  phone: 'customer.contact.phone.number',
  email: 'customer.contact.email.address',
} as const

/** Net monthly income if the criteria leave the choice, in whole euros. Advertisers accept it. */
const usualIncome = 5000

function employed(monthly_income: number, occupation: OccupationType = 'indefinite_employee'): FieldValues {
  return { 'customer.profile': { occupation, monthly_income } }
}

function bornAgo(today: Date, years: number, months: number): string {
  const day = new Date(today)
  day.setUTCFullYear(day.getUTCFullYear() - years, day.getUTCMonth() - months)
  return day.toISOString().slice(0, 10)
}

function addressOutside(ranges: readonly string[]): string {
  const address = documentationAddresses.find(candidate => !ranges.some(range => ipv4InRange(candidate, range)))
  if (address !== undefined) return address
  throw new Error(
    `No test lead can pass the fraud rule: remove one of ${documentationAddresses.join(', ')} from the product's fraud_ip_ranges.`,
  )
}

/** Ranges of amounts, in whole euros, and terms, in whole months. */
export interface LoanBands {
  readonly loan_amount: Readonly<Band>
  readonly loan_term_months: Readonly<Band>
}

/**
 * Returns the loans that both the specification and a product allow.
 * @throws Error if there are none.
 */
export function admittedLoans(criteria: LoanBands): LoanBands {
  const loan_amount = sharedBand(loanAmountBounds, criteria.loan_amount)
  const loan_term_months = sharedBand(loanTermBounds, criteria.loan_term_months)
  if (loan_amount && loan_term_months) return { loan_amount, loan_term_months }
  throw new Error(
    `The product allows no loan that the specification allows: make its loan_amount overlap ${loanAmountBounds.min} to ${loanAmountBounds.max} and its loan_term_months overlap ${loanTermBounds.min} to ${loanTermBounds.max}.`,
  )
}

/** Returns the numbers just outside a range that the specification allows. */
function nextOutside(band: Readonly<Band>, allowed: Readonly<Band>): number[] {
  const candidates = [band.min - 1, band.max + 1].map(value => nearestInside(allowed, value))
  return [...new Set(candidates)].filter(value => !isInside(band, value))
}
