import { callApplication } from '../call-application.ts'
import { runCommand } from '../run-command.ts'
import type { LenderLead } from './lender-lead.ts'

/** How the application is made to report. */
export interface LenderApplicationOptions {
  /** Hosts besides this machine that a URL of it may be on. */
  readonly allowedHosts: readonly string[]
  /** What commands have in their environment besides the lead. */
  readonly environment: Readonly<Record<string, string>>
  /** How long a command may take, milliseconds. */
  readonly timeoutMs: number
}

/** Makes the application report, by a command or a URL, an event of a lead; answers what went wrong, a sentence. */
export type AskApplication = (way: string, lead: LenderLead, event: string) => Promise<string | undefined>

/** The lender's application, by the one thing that is asked of it: report this event of this lead. */
export function createLenderApplication({
  allowedHosts,
  environment,
  timeoutMs,
}: LenderApplicationOptions): AskApplication {
  return (way, lead, event) =>
    /^https?:\/\//i.test(way) ? post(way, lead, event, allowedHosts) : run(way, lead, event, environment, timeoutMs)
}

async function post(
  url: string,
  lead: LenderLead,
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
  lead: LenderLead,
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
