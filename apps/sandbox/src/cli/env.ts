import type { Account } from '@lead-distribution/control-client/core'
import type { Command } from 'commander'
import { CommandError } from './exit-codes.ts'
import { sandboxVerb } from './sandbox-verb.ts'

/** The variables that an application is started with. They hold keys. */
export type Environment = Readonly<Record<string, string>>

/** `lead-sandbox env`. */
export function describeEnv(command: Command): void {
  sandboxVerb<unknown, []>(
    command
      .command('publisher')
      .description("Print the variables of a publisher's application: base URL, key and ids."),
    ['env publisher > .env', 'env publisher --tenant qa'],
    async ({ tenant, print }) => {
      const account = await tenant.show()
      print(publisherEnvironment(account, account.settings.callback_signature !== 'none'), environmentText)
    },
  )
  sandboxVerb<{ readonly advertiser?: string }, []>(
    command
      .command('advertiser')
      .description("Print the variables of an advertiser's application: base URL, key and id.")
      .option('--advertiser <id>', 'its advertiser_id (default: the one that is asked first)'),
    ['env advertiser > .env', 'env advertiser --tenant qa --advertiser ADVERTISER_ID'],
    async ({ tenant, print }, { advertiser }) =>
      print(advertiserEnvironment(await tenant.show(), advertiser), environmentText),
  )
}

/** Returns the variables of a publisher's application, with the secret of its callbacks if they are signed. */
export function publisherEnvironment({ base_url, publisher, products }: Account, signed: boolean): Environment {
  return {
    LEAD_BASE_URL: base_url,
    LEAD_PUBLISHER_API_KEY: publisher.api_key,
    PUBLISHER_ID: publisher.publisher_id,
    PRODUCT_ID: products.find(({ active }) => active)?.product_id ?? '',
    ...(signed && { CALLBACK_SIGNING_SECRET: publisher.callback_secret }),
  }
}

/** Returns the variables of an advertiser's application: of the advertiser with this id, or of the first. */
export function advertiserEnvironment({ tenant, base_url, advertisers }: Account, id?: string): Environment {
  const advertiser = advertisers.find(({ advertiser_id }) => advertiser_id === (id?.toLowerCase() ?? advertiser_id))
  if (!advertiser)
    throw new CommandError(
      `The tenant ${tenant} has no such advertiser. To see those that it has: lead-sandbox tenants show ${tenant}.`,
    )
  const { api_key, advertiser_id } = advertiser
  return { LEAD_BASE_URL: base_url, LEAD_ADVERTISER_API_KEY: api_key, ADVERTISER_ID: advertiser_id }
}

/** Returns variables as a file that a shell and `node --env-file` read; a comment for each that is empty. */
export function environmentText(environment: Environment): string {
  return Object.entries(environment)
    .map(([name, value]) => (value === '' ? `# ${name}: the account has none.` : `${name}=${value}`))
    .join('\n')
}
