import { type Command, Option } from 'commander'
import { createAdvertiserDriver } from '../../certify/advertiser/application.ts'
import { advertiserChecks } from '../../certify/advertiser/checks/index.ts'
import { openAdvertiserRound } from '../../certify/advertiser/round.ts'
import type { CertifySandbox } from '../../certify/certify-sandbox.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { addCertifyFlags, type CertifyFlags, parseSeconds, runCertification } from './run-certification.ts'

interface Flags extends CertifyFlags {
  readonly postback?: string
  readonly reportCommand?: string
  /** Milliseconds. */
  readonly patience: number
  /** Milliseconds. */
  readonly quiet: number
}

/** `lead-sandbox certify advertiser`. */
export function describeCertifyAdvertiser(command: Command): void {
  command
    .description("Test that an advertiser's application reports every event of a lead, whatever fails on the way.")
    .option('--postback <command or url>', 'makes the application report an event of a lead by its postback URL')
    .option('--report-command <command>', 'makes it report by the JSON call, where it can')
    .addOption(
      new Option('--patience <seconds>', 'how long a report may take to come through, its retries included')
        .default(60_000, '60')
        .argParser(parseSeconds),
    )
    .addOption(
      new Option('--quiet <seconds>', 'how long to watch for what should not come: more than it waits between tries')
        .default(5_000, '5')
        .argParser(parseSeconds),
    )
  addCertifyFlags(
    command,
    advertiserChecks.map(({ id }) => id),
  )
    .addHelpText('after', help)
    .action(() => certify(command.opts<Flags>()))
}

const help = `
A command gets LEAD_ID, POSTBACK_URL, EVENT, STATUS_URL, AMOUNT and TERM_MONTHS in its environment; a URL gets a POST
with lead_id, postback_url, event, status_url, amount and term_months as JSON. EVENT is one of registration, approved,
rejected, completed and defaulted, in the order in which they happen to a loan.

Examples:
  $ lead-sandbox certify advertiser --env
  $ lead-sandbox certify advertiser --postback ./report-event.sh
  $ lead-sandbox certify advertiser --postback http://127.0.0.1:4030/test/report --markdown certification.md`

async function certify({ postback, reportCommand, patience, quiet, ...flags }: Flags): Promise<void> {
  if (postback === undefined && !flags.env)
    throw new CommandError('Give --postback: a command or a URL that makes the application report.', exitCodes.usage)
  await runCertification(flags, {
    certify: 'advertiser',
    checks: advertiserChecks,
    environment,
    enter(sandbox, profile) {
      const { allowCallbackHost: allowedHosts, commandTimeout: timeoutMs } = flags
      const drive = createAdvertiserDriver({ allowedHosts, timeoutMs, environment: environment(sandbox) })
      const ways = { postback: postback ?? '', report: reportCommand }
      return openAdvertiserRound({ sandbox, profile, drive, ways, patienceMs: patience, quietMs: quiet })
    },
  })
}

/** What the application is started with, and what commands have in their environment. */
function environment(sandbox: CertifySandbox): Record<string, string> {
  const { base_url, advertisers } = sandbox.account()
  const { api_key = '', advertiser_id = '' } = advertisers[0] ?? {}
  return { LEAD_BASE_URL: base_url, LEAD_ADVERTISER_API_KEY: api_key, ADVERTISER_ID: advertiser_id }
}
