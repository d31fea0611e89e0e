import { type AdvertiserLead, advertiserLead } from '@lead-distribution/simulator'
import { CommandError } from '../../cli/exit-codes.ts'
import { callApplication, runCommand } from '../application-driver.ts'
import type { CertifySandbox, SandboxControl } from '../certify-sandbox.ts'

/** How an advertiser's application is driven. */
export interface AdvertiserDriverOptions {
  /** Hosts besides this machine that a URL of it may be on. */
  readonly allowedHosts: readonly string[]
  /** The environment of commands, besides the lead. */
  readonly environment: Readonly<Record<string, string>>
  /** How long a command may take, milliseconds. */
  readonly timeoutMs: number
}

/** Makes the application report an event of a lead, by a command or a URL; returns what went wrong, a sentence. */
export type AdvertiserDriver = (way: string, lead: AdvertiserLead, event: string) => Promise<string | undefined>

/** Drives the application by the one thing that it has to do: report this event of this lead. */
export function createAdvertiserDriver({
  allowedHosts,
  environment,
  timeoutMs,
}: AdvertiserDriverOptions): AdvertiserDriver {
  return (way, lead, event) =>
    /^https?:\/\//i.test(way) ? post(way, lead, event, allowedHosts) : run(way, lead, event, environment, timeoutMs)
}

async function post(
  url: string,
  lead: AdvertiserLead,
  event: string,
  allowedHosts: readonly string[],
): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...lead, event })
  const { status } = await callApplication({ url, method: 'POST', headers, body, allowedHosts })
  if (status === 0) return 'The application did not answer at the URL of --postback.'
  return status < 400 ? undefined : `The application answered ${status}.`
}

async function run(
  command: string,
  lead: AdvertiserLead,
  event: string,
  more: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<string | undefined> {
  const environment = {
    ...more,
    LEAD_ID: lead.lead_id,
    POSTBACK_URL: lead.postback_url,
    STATUS_URL: lead.status_url,
    EVENT: event,
    AMOUNT: String(lead.amount),
    TERM_MONTHS: String(lead.term_months),
  }
  const { exitCode, timedOut } = await runCommand({ command, environment, timeoutMs })
  if (timedOut) return `The command was not done after ${timeoutMs / 1000} s.`
  return exitCode === 0 ? undefined : `The command ended with ${exitCode}.`
}

/** Submits a lead that the first advertiser of the account takes: the application is that advertiser. */
export async function createAdvertiserLead(
  account: CertifySandbox['account'],
  control: SandboxControl,
): Promise<AdvertiserLead> {
  const { base_url, advertisers } = account()
  const { lead_id, lead } = await control.submitTestLead()
  const deliveries = await control.deliveries(lead_id)
  const own = deliveries.find(({ advertiser_id }) => advertiser_id === advertisers[0]?.advertiser_id)
  if (own?.postback_url === undefined)
    throw new CommandError('The first advertiser of the account did not take the lead that was made for it.')
  return advertiserLead({ lead_id, postback_url: own.postback_url, base_url, product_data: lead.product_data })
}
