import { loanAmountBounds, loanTermBounds, type TokenFormat, usualTokenFormat } from '@lead-distribution/contract'
import type { PublishedAccount, PublishedAdvertiser } from '@lead-distribution/test-leads'

/** The fake service's advertiser, its parts named as in a sandbox. */
export interface FakeAdvertiser extends PublishedAdvertiser {
  /** Its id, a UUID. */
  readonly advertiser_id: string
  /** The key of its status reports. */
  readonly api_key: string
  /** The secret that signs its postback URLs. */ // Spec 5
  readonly postback_secret: string
}

/** The fake service's account, its parts named as in a sandbox. Its keys open nothing. */
export interface FakeAccount extends PublishedAccount {
  /** The publisher, with its key. */
  readonly publisher: {
    /** The publisher's id, a UUID. */
    readonly publisher_id: string
    /** The key of its submissions. */
    readonly api_key: string
  }
  /** Its one advertiser. */
  readonly advertisers: readonly [FakeAdvertiser]
}

const criteria = {
  min_age: 18,
  max_age: 75,
  minimum_monthly_income: 600,
  countries: ['ES'],
  loan_amount: loanAmountBounds,
  loan_term_months: loanTermBounds,
  occupations_excluded: ['unemployed'],
  fraud_ip_ranges: ['192.0.2.0/24'],
} as const

/**
 * The account of every fake service. Hand it to `createTestLeads`; the leads that its criteria would refuse are
 * refused by a sandbox, not by a fake service, which judges none.
 */
export const fakeAccount: FakeAccount = {
  // Without the prefix of sandbox keys: a fake service may have an address of production.
  publisher: { publisher_id: '70000000-0000-4000-8000-000000000001', api_key: 'fake_publisher_key' },
  products: [
    { product_id: '70000000-0000-4000-8000-000000000002', active: true, criteria },
    { product_id: '70000000-0000-4000-8000-000000000003', active: false, criteria },
  ],
  advertisers: [
    {
      advertiser_id: '70000000-0000-4000-8000-000000000004',
      api_key: 'fake_advertiser_key',
      postback_secret: 'fake_postback_secret',
      criteria: {
        loan_amount: { min: 500, max: 50_000 },
        loan_term_months: loanTermBounds,
        loan_purposes_excluded: [],
        minimum_monthly_income: 0,
      },
    },
  ],
  blacklist: [{ identification_number: 'BLACKLISTED-1' }],
}

/** The default address of a fake service: a host that no resolver knows (RFC 2606). */
export const fakeBaseUrl = 'https://fake.invalid/api/v1'

/** The format of the tokens in the fake service's postback URLs. */ // Spec 5
export const fakeTokenFormat: TokenFormat = usualTokenFormat
