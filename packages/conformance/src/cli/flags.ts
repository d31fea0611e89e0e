import { isSandboxHost } from '@lead-distribution/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ConformanceCase } from '../case.ts'
import type { Facts } from '../facts.ts'
import { accountIn, CommandError } from './account-file.ts'

/** The parsed flags of the command. */
export interface Flags {
  readonly baseUrl?: string
  readonly publisherKey?: string
  readonly publisherId?: string
  readonly product?: string
  readonly inactiveProduct?: string
  readonly advertiserKey?: string
  readonly advertiserId?: string
  readonly postbackSecret?: string
  readonly postbackUrl?: string
  readonly callbackSecret?: string
  readonly account?: string
  readonly callbackListen?: { readonly host: string; readonly port: number }
  readonly callbackUrl?: string
  readonly patience: number
  readonly concurrency: number
  /** True if the JSON report goes to standard output. */
  readonly json?: string | true
  readonly junit?: string
  readonly only?: string
  readonly list?: boolean
  readonly allowAnyHost?: boolean
}

/**
 * Adds the flags. Keys and secrets can also come from the environment, because flags are visible in the process list.
 */
export function addFlags(command: Command): Command {
  const secret = (flag: string, description: string, variable: string) => new Option(flag, description).env(variable)
  return command
    .optionsGroup('Service:')
    .option('--base-url <url>', 'base URL of the service, including the version', parseUrl)
    .addOption(secret('--publisher-key <key>', "the publisher's key", 'LEAD_PUBLISHER_API_KEY'))
    .option('--publisher-id <id>', "the publisher's id")
    .option('--product <id>', 'an active product')
    .option('--inactive-product <id>', 'an inactive product')
    .addOption(secret('--advertiser-key <key>', "an advertiser's key", 'LEAD_ADVERTISER_API_KEY'))
    .option('--advertiser-id <id>', "the advertiser's id")
    .addOption(
      secret('--postback-secret <secret>', "secret that signs the advertiser's postback URLs", 'LEAD_POSTBACK_SECRET'),
    )
    .addOption(secret('--postback-url <url>', 'a postback URL that the service issued', 'LEAD_POSTBACK_URL'))
    .addOption(secret('--callback-secret <secret>', 'secret that signs callbacks', 'LEAD_CALLBACK_SECRET'))
    .option('--account <file>', 'all of the above plus the criteria, in the format of lead-sandbox tenants show --json')
    .option(
      '--callback-listen <host:port>',
      "listen for callbacks here; set the service's callback URL to this address",
      parseAddress,
    )
    .option('--callback-url <url>', 'the callback URL, if it differs from the listening address', parseCallbackUrl)
    .option('--allow-any-host', 'allow a host that is not a sandbox; about 470 leads would be real there')
    .optionsGroup('Run:')
    .option('--only <pattern>', 'run only cases whose id or statements match; * matches anything')
    .option('--list', 'list the cases without running them')
    .option('--patience <seconds>', 'how long to wait for a callback', parseSeconds, 3)
    .option('--concurrency <number>', 'number of cases to run at the same time', parseCount, 1)
    .optionsGroup('Reports:')
    .option('--json [file]', 'print the report as JSON, or write it to a file')
    .option('--junit <file>', 'write the report as a JUnit document')
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new InvalidArgumentError('Expected a URL such as https://sandbox.example.com/api/v1.')
  return url.href.replace(/\/$/, '')
}

/** Allows a query, which callbacks must keep. */
function parseCallbackUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.hash)
    throw new InvalidArgumentError('Expected a URL such as https://callbacks.example.com/leads?source=loans.')
  return url.href
}

function parseAddress(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?([^[\]]+)\]?:(\d+)$/.exec(text) ?? []
  if (host === '' || Number(port) > 65_535)
    throw new InvalidArgumentError('Expected a host and a port, such as 127.0.0.1:4100.')
  return { host, port: Number(port) }
}

function parseSeconds(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number > 0 && number <= 3600) return number
  throw new InvalidArgumentError('Expected a number greater than 0 and at most 3600.')
}

function parseCount(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= 32) return number
  throw new InvalidArgumentError('Expected a whole number from 1 to 32.')
}

/**
 * Combines the facts from the flags and the account; flags win. Rejects with a {@link CommandError} if something is
 * missing or the host is not a sandbox, before anything is sent.
 */
export async function factsOfFlags(flags: Flags): Promise<Facts> {
  const account = flags.account === undefined ? undefined : await accountIn(flags.account)
  const { advertiserKey: api_key, advertiserId: advertiser_id, postbackSecret: postback_secret } = flags
  const facts = {
    ...account,
    baseUrl: required('--base-url', flags.baseUrl ?? account?.baseUrl),
    publisher: {
      api_key: required('--publisher-key or LEAD_PUBLISHER_API_KEY', flags.publisherKey ?? account?.publisher.api_key),
      publisher_id: required('--publisher-id', flags.publisherId ?? account?.publisher.publisher_id),
    },
    product_id: required('--product', flags.product ?? account?.product_id),
    inactive_product_id: flags.inactiveProduct ?? account?.inactive_product_id,
    advertisers:
      api_key === undefined || advertiser_id === undefined
        ? (account?.advertisers ?? [])
        : [{ api_key, advertiser_id, postback_secret }],
    postback_url: flags.postbackUrl,
    callback_secret: flags.callbackSecret ?? account?.callback_secret,
  }
  const { hostname } = new URL(facts.baseUrl)
  if (flags.allowAnyHost || isSandboxHost(hostname)) return facts
  throw new CommandError(
    `${hostname} is not a sandbox: it is not this machine, and the first label of its name is not "sandbox". Leads submitted there are real and go to real advertisers. If it is a sandbox after all, add --allow-any-host.`,
  )
}

function required(flag: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value
  throw new CommandError(`${flag} is missing: pass it, or pass an account with --account.`)
}

/** Returns the cases with an id or statement that matches the pattern, or all cases if it is empty. */
export function matching(cases: readonly ConformanceCase[], pattern = ''): readonly ConformanceCase[] {
  const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const wanted = new RegExp(parts.join('.*'))
  const found = cases.filter(({ id, statements }) => [id, ...statements].some(each => wanted.test(each)))
  if (found.length > 0) return found
  throw new CommandError(`No case matches ${JSON.stringify(pattern)}: --list shows all ids.`)
}
