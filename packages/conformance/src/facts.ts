import type { PublishedAccount } from '@lead-distribution/test-leads'

/** An advertiser of the target. */
export interface AdvertiserFacts {
  readonly advertiser_id: string
  readonly api_key: string
  /** What its postback URLs are signed with. */
  readonly postback_secret?: string | undefined
}

/** What is known of a target beforehand: what an integrator is given by the operator. */
export interface Facts {
  /** The base address, the version in it: `https://sandbox.example.com/api/v1`. */
  readonly baseUrl: string
  readonly publisher: { readonly publisher_id: string; readonly api_key: string }
  /** An active product. */
  readonly product_id: string
  /** A product that exists and takes no leads. */
  readonly inactive_product_id?: string | undefined
  /** The advertiser that gets the leads of `submission()` stands first. */
  readonly advertisers: readonly AdvertiserFacts[]
  /** A postback URL that the target gave out, of whichever lead: its token shows how tokens are made. */
  readonly postback_url?: string | undefined
  /** What callbacks are signed with, where they are: `whsec_` and base64. */
  readonly callback_secret?: string | undefined
  /** The account as a sandbox of this toolkit shows it: the criteria that leads are judged by. */
  readonly account?: PublishedAccount | undefined
}
