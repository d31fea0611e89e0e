import type { Account, Advertiser } from './account.ts'

/** The variables that an application is started with. They hold keys. */
export type Environment = Readonly<Record<string, string>>

/** Returns the variables of a publisher's application, with the secret of its callbacks if they are signed. */
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

/** Returns variables as a file that a shell and `node --env-file` read; a comment for each that is empty. */
export function environmentText(environment: Environment): string {
  return Object.entries(environment)
    .map(([name, value]) => (value === '' ? `# ${name}: the account has none.` : `${name}=${value}`))
    .join('\n')
}
