import { isSandboxHost } from '@lead-distribution/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ConformanceCase } from '../conformance-case.ts'
import type { Facts } from '../facts.ts'
import { accountIn } from './account-file.ts'
import { CommandError } from './command-error.ts'

/** The flags of the command, as they come. */
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
  readonly baseline?: string
  readonly writeBaseline?: string
  /** True where the report goes to standard output. */
  readonly json?: string | true
  readonly junit?: string
  readonly only?: string
  readonly list?: boolean
  readonly strict?: boolean
  readonly allowAnyHost?: boolean
}

/** Gives the command its flags. Keys and secrets also come by the environment, so that no list of processes shows them. */
export function addFlags(command: Command): Command {
  return command
    .optionsGroup('What is looked at:')
    .addOption(new Option('--base-url <url>', 'the base address, its version in it').argParser(parseUrl))
    .addOption(new Option('--publisher-key <key>', "the publisher's key").env('LEAD_PUBLISHER_API_KEY'))
    .option('--publisher-id <id>', 'the publisher_id that the key was issued with')
    .option('--product <id>', 'an active product')
    .option('--inactive-product <id>', 'a product that takes no leads')
    .addOption(new Option('--advertiser-key <key>', "an advertiser's key").env('LEAD_ADVERTISER_API_KEY'))
    .option('--advertiser-id <id>', "the advertiser's id")
    .addOption(
      new Option('--postback-secret <secret>', 'what its postback URLs are signed with').env('LEAD_POSTBACK_SECRET'),
    )
    .addOption(new Option('--postback-url <url>', 'a postback URL that it was given').env('LEAD_POSTBACK_URL'))
    .addOption(new Option('--callback-secret <secret>', 'what callbacks are signed with').env('LEAD_CALLBACK_SECRET'))
    .option(
      '--account <file>',
      'all of that, and the criteria: what lead-sandbox tenants show --json prints, with your values in it',
    )
    .addOption(
      new Option('--callback-listen <host:port>', 'take callbacks here; the callback URL is set to it').argParser(
        parseAddress,
      ),
    )
    .addOption(
      new Option('--callback-url <url>', 'that URL, where it is reached by another').argParser(parseCallbackUrl),
    )
    .option('--allow-any-host', 'also ask a host that is no sandbox: some 470 leads are real there')
    .optionsGroup('How it is looked at:')
    .option('--only <pattern>', 'run the cases with this in their id or statements; * matches anything')
    .option('--list', 'list the cases, and ask nothing')
    .addOption(new Option('--patience <seconds>', 'how long to wait for a callback').default(3).argParser(parseNumber))
    .addOption(new Option('--concurrency <number>', 'cases at a time').default(1).argParser(parseCount))
    .option('--strict', 'fail on another interpretation of what the specification leaves open, too')
    .optionsGroup('Reports:')
    .option('--baseline <file>', 'known differences, which do not fail: JSON of case id and reason')
    .option('--write-baseline <file>', 'write what differs now as a baseline')
    .option('--json [file]', 'print the report as JSON, or write it to a file')
    .option('--junit <file>', 'write the report as a JUnit document')
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new InvalidArgumentError('Give an address such as https://sandbox.example.com/api/v1.')
  return url.href.replace(/\/$/, '')
}

/** A callback URL may have a query, which callbacks keep. */
function parseCallbackUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.hash)
    throw new InvalidArgumentError('Give an address such as https://callbacks.example.com/leads?source=loans.')
  return url.href
}

function parseAddress(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?([^[\]]+)\]?:(\d+)$/.exec(text) ?? []
  if (host === '' || Number(port) > 65_535) throw new InvalidArgumentError('Give a host and a port: 127.0.0.1:4100.')
  return { host, port: Number(port) }
}

function parseNumber(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number > 0 && number <= 3600) return number
  throw new InvalidArgumentError('Give a number above 0, at most 3600.')
}

function parseCount(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= 32) return number
  throw new InvalidArgumentError('Give a whole number from 1 to 32.')
}

/**
 * What the flags and the account say of the target; a flag goes above the account. Rejects with a {@link CommandError}
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

function advertisersOf(flags: Flags, account: Facts | undefined): Facts['advertisers'] {
  const { advertiserKey: api_key, advertiserId: advertiser_id, postbackSecret: postback_secret } = flags
  if (api_key === undefined || advertiser_id === undefined) return account?.advertisers ?? []
  return [{ api_key, advertiser_id, postback_secret }]
}

function refuseForeignHost(baseUrl: string, isAllowed: boolean): void {
  const { hostname } = new URL(baseUrl)
  if (isAllowed || isSandboxHost(hostname)) return
  throw new CommandError(
    `${hostname} is no sandbox: its name does not begin with "sandbox.", and it is not this machine. Leads that are submitted there are real, and go to real advertisers. If it is one all the same, add --allow-any-host.`,
  )
}

function required(flag: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value
  throw new CommandError(`Say what to look at: ${flag} is missing. An account by --account has all of it.`)
}

/** The cases with a pattern in their id or in one of their statements; all of them without a pattern. */
export function matching(cases: readonly ConformanceCase[], pattern = ''): readonly ConformanceCase[] {
  const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const wanted = new RegExp(parts.join('.*'))
  const found = cases.filter(({ id, statements }) => [id, ...statements].some(each => wanted.test(each)))
  if (found.length > 0) return found
  throw new CommandError(`No case has ${JSON.stringify(pattern)} in its id: --list shows them all.`)
}
