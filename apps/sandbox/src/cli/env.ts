import {
  advertiserEnvironment,
  type Environment,
  environmentText,
  publisherEnvironment,
} from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client/core'
import type { Command } from 'commander'
import { CommandError } from './exit-codes.ts'
import { sandboxVerb } from './sandbox-verb.ts'

export function describeEnv(command: Command): void {
  sandboxVerb<unknown, []>(
    command
      .command('publisher')
      .description("Print the variables of a publisher's application: base URL, key and ids."),
    ['env publisher > .env', 'env publisher --tenant qa'],
    async ({ tenant, print }) => {
      const account = await tenant.show()
      print(publisherEnvironment(account, { signed: account.settings.callback_signature !== 'none' }), environmentText)
    },
  )
  sandboxVerb<{ readonly advertiser?: string }, []>(
    command
      .command('advertiser')
      .description("Print the variables of an advertiser's application: base URL, key and id.")
      .option('--advertiser <id>', 'its advertiser_id (default: the one that is asked first)'),
    ['env advertiser > .env', 'env advertiser --tenant qa --advertiser ADVERTISER_ID'],
    async ({ tenant, print }, { advertiser }) =>
      print(environmentOfAdvertiser(await tenant.show(), advertiser), environmentText),
  )
}

/**
 * Returns the variables of an advertiser's application: of the advertiser with this id, or of the first.
 * @throws CommandError if the account has no such advertiser.
 */
export function environmentOfAdvertiser({ tenant, base_url, advertisers }: Account, id?: string): Environment {
  const advertiser = advertisers.find(({ advertiser_id }) => advertiser_id === (id?.toLowerCase() ?? advertiser_id))
  if (!advertiser)
    throw new CommandError(
      `The tenant ${tenant} has no such advertiser. To see those that it has: lead-sandbox tenants show ${tenant}.`,
    )
  return advertiserEnvironment({ base_url, advertiser })
}
