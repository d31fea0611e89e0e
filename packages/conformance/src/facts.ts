import {
  advertiserCriteria,
  defaultsOf,
  loanAmountBounds,
  loanTermBounds,
  type PublishedAccount,
  productCriteria,
} from '@lead-distribution/contract'

/**
 * An advertiser of the target.
 * @category Sandbox
 */
export interface AdvertiserFacts {
  /** The advertiser's id, a UUID. */
  readonly advertiser_id: string
  /** The advertiser's key, for status updates. */
  readonly api_key: string
  /** The secret that signs the advertiser's postback URLs. */
  readonly postback_secret?: string | undefined
}

/**
 * The facts known about a target in advance: what an operator gives an integrator.
 * @category Sandbox
 */
export interface Facts {
  /** The base URL, including the version: `https://sandbox.example.com/api/v1`. */
  readonly baseUrl: string
  /** The publisher that submits leads. */
  readonly publisher: {
    /** The publisher's id, a UUID. */
    readonly publisher_id: string
    /** The publisher's key, for submissions. */
    readonly api_key: string
  }
  /** An active product. */
  readonly product_id: string
  /** A product that exists but accepts no leads. */
  readonly inactive_product_id?: string | undefined
  /** The advertisers. The first one gets the leads of `submission()`. */
  readonly advertisers: readonly AdvertiserFacts[]
  /** A postback URL that the target issued for any lead. Its token shows the token format. */
  readonly postback_url?: string | undefined
  /** The secret that signs callbacks, if they are signed: `whsec_` and base64. */
  readonly callback_secret?: string | undefined
  /** The account with its criteria, as returned by a sandbox of this toolkit. */
  readonly account?: PublishedAccount | undefined
}

/**
 * An account as returned by a sandbox of this toolkit: by `lead-sandbox tenants show --json` or its control plane.
 * @category Sandbox
 */
export interface AccountDocument extends Omit<PublishedAccount, 'publisher' | 'advertisers'> {
  /** The base URL of the service, including the version. */
  readonly base_url: string
  /** The publisher that submits leads. */
  readonly publisher: Facts['publisher'] & Pick<Facts, 'callback_secret'>
  /** The advertisers. The first one gets the leads. */
  readonly advertisers: readonly (AdvertiserFacts & PublishedAccount['advertisers'][number])[]
}

/**
 * Returns an account's facts, with its first active and its first inactive product.
 * @throws Error if the account has no active product.
 * @category Sandbox
 */
export function factsOfAccount(account: AccountDocument): Facts {
  const { base_url, publisher, advertisers, products } = account
  const product = (active: boolean) =>
    products.find((each: PublishedAccount['products'][number]) => each.active === active)?.product_id
  const product_id = product(true)
  if (product_id === undefined)
    throw new Error('The account has no active product: set active: true on one of its products.')
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
 * Returns a stand-in for an unknown account: its product and advertiser accept anything that the specification allows.
 * Only good for ordinary leads; nothing is concluded from it.
 */
export function assumedAccount({ publisher, product_id }: Facts): PublishedAccount {
  const loan = { loan_amount: loanAmountBounds, loan_term_months: loanTermBounds }
  const anyone = { minimum_monthly_income: 0, occupations_excluded: [], fraud_ip_ranges: [] }
  return {
    publisher,
    products: [{ product_id, active: true, criteria: { ...defaultsOf(productCriteria), ...loan, ...anyone } }],
    advertisers: [{ criteria: { ...defaultsOf(advertiserCriteria), ...loan } }],
    blacklist: [],
  }
}

/** Creates a function that redacts keys, secrets, tokens and e-mail addresses from a text for a report. */
export function redactor({ publisher, advertisers, callback_secret = '' }: Facts): (text: string) => string {
  const secrets = [
    publisher.api_key,
    callback_secret,
    ...advertisers.flatMap(each => [each.api_key, each.postback_secret ?? '']),
  ]
    .filter(secret => secret !== '')
    .toSorted((a, b) => b.length - a.length)
  return text =>
    secrets
      .reduce((kept, secret) => kept.replaceAll(secret, '[key]'), text)
      .replace(/([?&](?:token|apikey|[\w-]*signature)=)[^&\s"]+/gi, '$1[token]')
      .replace(/[^\s"'<>,:;(){}[\]]+@[^\s"'<>,:;(){}[\]]+/g, '[e-mail]')
}
