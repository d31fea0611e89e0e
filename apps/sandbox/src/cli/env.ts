import {
  advertiserEnvironment,
  canonicalUuid,
  type Environment,
  environmentText,
  publisherEnvironment,
} from '@lead-distribution/contract'
import { type Account, ControlError } from '@lead-distribution/control-client'
import type { Command } from 'commander'
import { CommandError } from './exit-codes.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'

export function describeEnv(command: Command): void {
  sandboxVerb<unknown, []>(
    command
      .command('publisher')
      .description("Print the variables of a publisher's application: base URL, key and ids."),
    ['env publisher > .env', 'env publisher --tenant qa', beforeItRuns('publisher')],
    async session => {
      const account = await accountOf(session)
      session.print(
        publisherEnvironment(account, { signed: account.settings.callback_signature !== 'none' }),
        environmentText,
      )
    },
  )
  sandboxVerb<{ readonly advertiser?: string }, []>(
    command
      .command('advertiser')
      .description("Print the variables of an advertiser's application: base URL, key and id.")
      .option('--advertiser <id>', 'its advertiser_id (default: the one that is asked first)'),
    ['env advertiser > .env', 'env advertiser --tenant qa --advertiser ADVERTISER_ID', beforeItRuns('advertiser')],
    async (session, { advertiser }) =>
      session.print(environmentOfAdvertiser(await accountOf(session), advertiser), environmentText),
  )
}

/** An example with a sandbox that need not run, such as that of a certification. */
const beforeItRuns = (side: 'publisher' | 'advertiser') => `env ${side} --sandbox http://127.0.0.1:4063`

/** Returns the account of the tenant; before its sandbox runs, the demo account, which is the same in each new one on this machine. */
async function accountOf({ tenant, url }: Session): Promise<Account> {
  try {
    return await tenant.show()
  } catch (error) {
    if (!ControlError.is(error) || error.code !== 'unreachable') throw error
    const { demoName, isLoopback } = await import('@lead-distribution/simulator')
    if (tenant.name !== demoName || !isLoopback(new URL(url).hostname)) throw error
    const account = await newDemoAccount(url)
    console.error(
      `No sandbox runs at ${url} yet. A new one, or certify, has these variables there; with signed callbacks, also CALLBACK_SIGNING_SECRET=${account.publisher.callback_secret}`,
    )
    return account
  }
}

async function newDemoAccount(publicUrl: string): Promise<Account> {
  const { startServer } = await import('../server.ts')
  const server = await startServer({ port: 0, publicUrl, logLevel: 'silent' })
  try {
    return server.account()
  } finally {
    await server.close()
  }
}

/**
 * Returns the variables of an advertiser's application: of the advertiser with this id, or of the first.
 * @throws CommandError if the account has no such advertiser.
 */
export function environmentOfAdvertiser({ tenant, base_url, advertisers }: Account, id?: string): Environment {
  const advertiser = advertisers.find(({ advertiser_id }) => advertiser_id === canonicalUuid(id ?? advertiser_id))
  if (!advertiser)
    throw new CommandError(
      `The tenant ${tenant} has no such advertiser. To see those that it has: lead-sandbox tenants show ${tenant}.`,
    )
  return advertiserEnvironment({ base_url, advertiser })
}
