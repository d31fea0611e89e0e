import type { PublishedAccount, PublishedAdvertiser, PublishedProduct } from '@lead-distribution/test-leads'
import type { AdvertiserFacts, Facts } from './facts.ts'

/** An account as this toolkit's sandbox shows it: by `lead-sandbox tenants show --json`, or by its control plane. */
export interface AccountDocument extends Omit<PublishedAccount, 'publisher' | 'advertisers'> {
  readonly base_url: string
  readonly publisher: { readonly publisher_id: string; readonly api_key: string; readonly callback_secret?: string }
  readonly advertisers: readonly (AdvertiserFacts & PublishedAdvertiser)[]
}

/**
 * The facts of an account: its first active product, its first inactive one, everything that it publishes.
 * @throws Error where the account has no active product.
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
