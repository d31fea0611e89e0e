import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import { type ErrorCode, errorStatus } from '@lead-distribution/contract'
import type { TestLeads } from './test-leads.ts'

/** The reply of `POST /lead` to a test lead: an outcome of 2.12, or an error of 2.13 with its HTTP status. */
export type Reached =
  | { readonly http: 200; readonly status: Exclude<LeadStatus, 'rejected'> }
  | { readonly http: 200; readonly status: 'rejected'; readonly rejection_reason: RejectionReason }
  | { readonly http: number; readonly error: ErrorCode }

/** One entry of the catalogue. */
export interface TestLeadEntry {
  /** The function of {@link TestLeads} that builds it. */
  readonly name: Exclude<keyof TestLeads, 'scenario'>
  /** The reply it gets. */
  readonly reaches: Reached
  /** The settings that it needs to reach this. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where the account publishes what makes it so; absent where the account has no part in it. */
  readonly criteria?: string
  /** Why it reaches that: one sentence. */
  readonly because: string
}

const created = (status: 'new' | 'distributed'): Reached => ({ http: 200, status })
const rejected = (rejection_reason: RejectionReason): Reached => ({ http: 200, status: 'rejected', rejection_reason })
const refused = (error: ErrorCode): Reached => ({ http: errorStatus[error], error })
/** Point 3 of the open points: both interpretations are in the catalogue. */
const asRejection = { semantic_refusals: 'rejected_200' } as const
const consents = 'The privacy policy is declined, and `terms` and `privacy_policy` must both be accepted.'
const unknownProduct = 'No product has the nil UUID.'

/**
 * Every test lead with what it reaches: every status, every rejection reason, every error of `POST /lead`. The table of
 * the guide is generated from it, and a test sends every entry through every adapter.
 */
export const testLeadCatalogue: readonly TestLeadEntry[] = [
  {
    name: 'distributed',
    reaches: created('distributed'),
    criteria: 'advertisers[].criteria',
    because: 'Amount and term are inside the bands of an advertiser, and it accepts the purpose.',
  },
  {
    name: 'new',
    reaches: created('new'),
    criteria: 'advertisers[].criteria',
    because: 'The product allows the loan, but no advertiser accepts its amount, or else its term, purpose or income.',
  },
  {
    name: 'customerAlreadyExists',
    reaches: rejected('customer_already_exists'),
    because: 'The e-mail address has a lead of the product: that of the first submission.',
  },
  {
    name: 'duplicateSubmission',
    reaches: rejected('duplicate_submission'),
    criteria: 'settings.duplicate_window',
    because: 'The first submission of the e-mail address was refused less than the duplicate window ago.',
  },
  {
    name: 'eligibilityFailed',
    reaches: rejected('eligibility_failed'),
    criteria: 'products[].criteria: loan_amount, loan_term_months, occupations_excluded',
    because: 'The amount, or else the term, is next to the band of the product; or else the occupation is excluded.',
  },
  {
    name: 'ageRestricted',
    reaches: rejected('age_restriction'),
    criteria: 'products[].criteria: min_age, max_age',
    because: 'The customer is a year too young, or too old where no age is too young.',
  },
  {
    name: 'incomeInsufficient',
    reaches: rejected('income_insufficient'),
    criteria: 'products[].criteria.minimum_monthly_income',
    because: 'The income is a euro below the least one.',
  },
  {
    name: 'geographicRestriction',
    reaches: rejected('geographic_restriction'),
    criteria: 'products[].criteria.countries',
    because: 'The country of the address is not listed.',
  },
  {
    name: 'consentsMissing',
    reaches: rejected('consents_missing'),
    settings: asRejection,
    because: consents,
  },
  {
    name: 'invalidProduct',
    reaches: rejected('invalid_product'),
    criteria: 'products[].active',
    because: 'The product is there, but switched off.',
  },
  {
    name: 'unknownProduct',
    reaches: rejected('invalid_product'),
    settings: asRejection,
    because: unknownProduct,
  },
  {
    name: 'blacklisted',
    reaches: rejected('blacklisted'),
    criteria: 'blacklist',
    because: 'The customer has the document number, or else the phone or the e-mail address, of an entry.',
  },
  {
    name: 'fraudSuspected',
    reaches: rejected('fraud_suspected'),
    criteria: 'products[].criteria.fraud_ip_ranges',
    because: 'The consents were given from an address inside a listed network.',
  },
  {
    name: 'validationError',
    reaches: refused('validation_error'),
    because: 'The amount is below what can be applied for.',
  },
  { name: 'malformedJson', reaches: refused('malformed_json'), because: 'The body breaks off before its end.' },
  {
    name: 'unauthorized',
    reaches: refused('unauthorized'),
    because: 'The key of the request was issued to no account.',
  },
  {
    name: 'payloadTooLarge',
    reaches: refused('payload_too_large'),
    because: 'The body is a byte longer than the service reads.',
  },
  {
    name: 'unsupportedMediaType',
    reaches: refused('unsupported_media_type'),
    because: 'The `content-type` of the request is not JSON.',
  },
  { name: 'consentsMissing', reaches: refused('consents_missing'), because: consents },
  { name: 'unknownProduct', reaches: refused('invalid_product'), because: unknownProduct },
  {
    name: 'publisherMismatch',
    reaches: refused('publisher_mismatch'),
    criteria: 'publisher.publisher_id',
    because: 'The lead names another publisher than the one that the key was issued to.',
  },
  {
    name: 'internalError',
    reaches: refused('internal_error'),
    because: 'No data makes the service fail: the e-mail address selects the scenario `http_500`.',
  },
]
