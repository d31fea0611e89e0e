import { loanAmountBounds, loanPurposes, loanTermBounds } from '@lead-distribution/contract'
import type { PublishedAccount, PublishedAdvertiser, PublishedProduct } from '@lead-distribution/test-leads'

/** An advertiser of the target. */
export interface AdvertiserFacts {
  /** Id of the advertiser, a UUID. */
  readonly advertiser_id: string
  /** Its key, for reports by JSON. */
  readonly api_key: string
  /** What its postback URLs are signed with. */
  readonly postback_secret?: string | undefined
}

/** What is known of a target beforehand: what an integrator is given by the operator. */
export interface Facts {
  /** The base address, the version in it: `https://sandbox.example.com/api/v1`. */
  readonly baseUrl: string
  /** The publisher that submits, as far as it is known. */
  readonly publisher: {
    /** Its id, a UUID. */
    readonly publisher_id: string
    /** Its key, for submissions. */
    readonly api_key: string
  }
  /** An active product. */
  readonly product_id: string
  /** A product that exists and takes no leads. */
  readonly inactive_product_id?: string | undefined
  /** The first one gets the leads of `submission()`. */
  readonly advertisers: readonly AdvertiserFacts[]
  /** A postback URL that the target gave out, of whichever lead: its token shows how tokens are made. */
  readonly postback_url?: string | undefined
  /** What callbacks are signed with, where they are: `whsec_` and base64. */
  readonly callback_secret?: string | undefined
  /** The account as a sandbox of this toolkit shows it: the criteria that leads are judged by. */
  readonly account?: PublishedAccount | undefined
}

/** An account as this toolkit's sandbox shows it: by `lead-sandbox tenants show --json`, or by its control plane. */
export interface AccountDocument extends Omit<PublishedAccount, 'publisher' | 'advertisers'> {
  /** Base address of the service, with its version. */
  readonly base_url: string
  /** The publisher that submits. */
  readonly publisher: {
    /** Its id, a UUID. */
    readonly publisher_id: string
    /** Its key, for submissions. */
    readonly api_key: string
    /** What callbacks to it are signed with: `whsec_` and base64. */
    readonly callback_secret?: string
  }
  /** The advertisers, the one that takes leads first. */
  readonly advertisers: readonly (AdvertiserFacts & PublishedAdvertiser)[]
}

/**
 * The facts of an account: its first active product, its first inactive one, everything that it publishes.
 * @throws Error the account has no active product.
 */
export function factsOfAccount(account: AccountDocument): Facts {
  const { base_url, publisher, advertisers, products } = account
  const product = (active: boolean) => products.find((each: PublishedProduct) => each.active === active)?.product_id
  const product_id = product(true)
  if (product_id === undefined) throw new Error('The account has no active product: switch one on with active: true.')
  return {
    baseUrl: base_url,
    publisher,
    product_id,
    inactive_product_id: product(false),
    advertisers,
    callback_secret: publisher.callback_secret,
    account,
  }
}

/**
 * The account that leads are built by where the target publishes none: its product and its advertiser take whatever
 * the specification allows. Only ordinary leads are built by it, and nothing is concluded from it.
 */
export function assumedAccount({ publisher, product_id }: Facts): PublishedAccount {
  const loan = { loan_amount: loanAmountBounds, loan_term_months: loanTermBounds }
  const criteria = { ...loan, minimum_monthly_income: 0 }
  const anyone = { min_age: 18, max_age: 75, countries: ['ES'], occupations_excluded: [], fraud_ip_ranges: [] }
  return {
    publisher,
    products: [{ product_id, active: true, criteria: { ...criteria, ...anyone } }],
    advertisers: [{ criteria: { ...criteria, loan_purposes_excluded: loanPurposes.slice(0, 0) } }],
    blacklist: [],
  }
}
