import type { Account, Advertiser } from './account.ts'

/** The environment variables of an application. They hold keys. */
export type Environment = Readonly<Record<string, string>>

/** Returns the variables of a publisher's application, including the callback secret if callbacks are signed. */
export function publisherEnvironment(
  { base_url, publisher, products }: { readonly base_url: string } & Pick<Account, 'publisher' | 'products'>,
  { signed }: { readonly signed: boolean },
): Environment {
  return {
    LEAD_BASE_URL: base_url,
    LEAD_PUBLISHER_API_KEY: publisher.api_key,
    PUBLISHER_ID: publisher.publisher_id,
    PRODUCT_ID: products.find(({ active }) => active)?.product_id ?? '',
    ...(signed && { CALLBACK_SIGNING_SECRET: publisher.callback_secret }),
  }
}

/** Returns the variables of an advertiser's application. */
export function advertiserEnvironment({
  base_url,
  advertiser,
}: {
  readonly base_url: string
  readonly advertiser: Pick<Advertiser, 'advertiser_id' | 'api_key'>
}): Environment {
  return {
    LEAD_BASE_URL: base_url,
    LEAD_ADVERTISER_API_KEY: advertiser.api_key,
    ADVERTISER_ID: advertiser.advertiser_id,
  }
}

/** Formats variables as a file for shells and `node --env-file`, with a comment for each empty one. */
export function environmentText(environment: Environment): string {
  return Object.entries(environment)
    .map(([name, value]) => (value === '' ? `# ${name}: the account has none.` : `${name}=${value}`))
    .join('\n')
}
