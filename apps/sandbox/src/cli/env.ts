import {
  advertiserEnvironment,
  canonicalUuid,
  type Environment,
  environmentText,
  publisherEnvironment,
} from '@lead-distribution/contract'
import { type Account, ControlError } from '@lead-distribution/control-client'
import { CommandError } from './exit-codes.ts'
import { flag } from './flags.ts'
import { group, type Session, verb } from './run-verb.ts'

/** The flag for an example with a sandbox that need not be running, such as the one of a certification. */
const beforeItRuns = '--sandbox http://127.0.0.1:4063'

export const env = group({
  publisher: verb({
    does: "Print the variables of a publisher's application: base URL, key and ids.",
    examples: ['> .env', '--tenant qa', beforeItRuns],
    async call(session) {
      const account = await accountOf(session)
      return publisherEnvironment(account, { signed: account.settings.callback_signature !== 'none' })
    },
    text: environmentText,
  }),
  advertiser: verb({
    does: "Print the variables of an advertiser's application: base URL, key and id.",
    takes: { advertiser: flag('<id>', 'its advertiser_id (default: the first in the account)') },
    examples: ['> .env', '--tenant qa --advertiser ADVERTISER_ID', beforeItRuns],
    call: async (session, { advertiser }) => environmentOfAdvertiser(await accountOf(session), advertiser),
    text: environmentText,
  }),
})

/**
 * Returns the tenant's account. If no sandbox is running yet, returns the demo account, which is the same in every new
 * sandbox on this machine.
 */
async function accountOf({ tenant, url }: Session): Promise<Account> {
  try {
    return await tenant.show()
  } catch (error) {
    if (!ControlError.is(error) || error.code !== 'unreachable') throw error
    const { demoName, isLoopback } = await import('@lead-distribution/simulator')
    if (tenant.name !== demoName || !isLoopback(new URL(url).hostname)) throw error
    const account = await newDemoAccount(url)
    console.error(
      `No sandbox is running at ${url} yet. A new one, or certify, will have these variables there; with signed callbacks, also CALLBACK_SIGNING_SECRET=${account.publisher.callback_secret}`,
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
 * Returns the variables for an advertiser's application: for the advertiser with this id, or the first one.
 * @throws CommandError if the account has no such advertiser.
 */
export function environmentOfAdvertiser({ tenant, base_url, advertisers }: Account, id?: string): Environment {
  const advertiser = advertisers.find(({ advertiser_id }) => advertiser_id === canonicalUuid(id ?? advertiser_id))
  if (!advertiser)
    throw new CommandError(
      `The tenant ${tenant} has no such advertiser. To list its advertisers: lead-sandbox tenants show ${tenant}.`,
    )
  return advertiserEnvironment({ base_url, advertiser })
}
