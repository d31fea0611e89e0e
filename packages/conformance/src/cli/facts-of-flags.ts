import { isSandboxHost } from '@lead-distribution/contract'
import { type AccountDocument, factsOfAccount } from '../account-facts.ts'
import type { Facts } from '../facts.ts'
import { CommandFault } from './command-fault.ts'
import { readJsonFile } from './files.ts'
import type { Flags } from './flags.ts'

/**
 * What the flags and the account say of the target; a flag goes above the account. Rejects with a {@link CommandFault}
 * where something is missing, or where the host is no sandbox: nothing has been sent by then.
 */
export async function factsOfFlags(flags: Flags): Promise<Facts> {
  const account = flags.account === undefined ? undefined : await accountIn(flags.account)
  const facts = {
    ...account,
    baseUrl: required('--base-url', flags.baseUrl ?? account?.baseUrl),
    publisher: {
      api_key: required('--publisher-key or LEAD_PUBLISHER_API_KEY', flags.publisherKey ?? account?.publisher.api_key),
      publisher_id: required('--publisher-id', flags.publisherId ?? account?.publisher.publisher_id),
    },
    product_id: required('--product', flags.product ?? account?.product_id),
    inactive_product_id: flags.inactiveProduct ?? account?.inactive_product_id,
    advertisers: advertisersOf(flags, account),
    postback_url: flags.postbackUrl,
    callback_secret: flags.callbackSecret ?? account?.callback_secret,
  }
  refuseForeignHost(facts.baseUrl, flags.allowAnyHost === true)
  return facts
}

async function accountIn(file: string): Promise<Facts> {
  const document = (await readJsonFile(file, '--account')) as AccountDocument
  try {
    return factsOfAccount(document)
  } catch (fault) {
    if (Array.isArray(document.products) && fault instanceof Error) throw new CommandFault(fault.message)
    throw new CommandFault(`${file} is no account: give --account what lead-sandbox tenants show --json prints.`)
  }
}

function advertisersOf(flags: Flags, account: Facts | undefined): Facts['advertisers'] {
  const { advertiserKey: api_key, advertiserId: advertiser_id, postbackSecret: postback_secret } = flags
  if (api_key === undefined || advertiser_id === undefined) return account?.advertisers ?? []
  return [{ api_key, advertiser_id, postback_secret }]
}

function refuseForeignHost(baseUrl: string, isAllowed: boolean): void {
  const { hostname } = new URL(baseUrl)
  if (isAllowed || isSandboxHost(hostname)) return
  throw new CommandFault(
    `${hostname} is no sandbox: its name does not begin with "sandbox.", and it is not this machine. Leads that are submitted there are real, and go to real advertisers. If it is one all the same, add --allow-any-host.`,
  )
}

function required(flag: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value
  throw new CommandFault(`Say what to look at: ${flag} is missing. An account by --account has all of it.`)
}
