import {
  type Application,
  advertiserChecks,
  type Certification,
  type CertifyOptions,
  certificationJunit,
  certificationMarkdown,
  certifyAdvertiser,
  certifyPublisher,
  checklist,
  type ProfileName,
  publisherChecks,
} from '@lead-distribution/certification'
import { isLoopback, refuseCallbackUrl, targetOf } from '@lead-distribution/simulator'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { version } from '../package-files.ts'
import { startServer } from '../server.ts'
import { createApplicationCaller } from './call-application.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { withProgress, writeReport } from './printing.ts'
import { addressFlags, callbackHostFlag, publicUrlFlag, seedFlag } from './server-flags.ts'
import { asWrongUsage } from './start.ts'
import { profileFlag, profileNames } from './values.ts'

export function describeCertify(command: Command): void {
  describePublisher(command.command('publisher'))
  describeAdvertiser(command.command('advertiser'))
}

interface Flags {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string
  readonly seed?: number
  readonly allowCallbackHost: readonly string[]
  readonly only: readonly string[]
  readonly profile?: ProfileName
  readonly application?: string
  readonly requireAll?: boolean
  readonly json?: boolean
  readonly junit?: string
  readonly markdown?: string
  /** Milliseconds. */
  readonly commandTimeout: number
}

interface PublisherFlags extends Flags {
  readonly callbackUrl?: string
  readonly submitCommand?: string
  readonly eventsCommand?: string
  readonly signedCallbacks?: boolean
}

function describePublisher(command: Command): void {
  command
    .description("Test a publisher's application against the failures that break integrations, and report the results.")
    .optionsGroup('The application:')
    .option('--callback-url <url>', 'the URL where the application receives callbacks', parseUrl)
    .option(
      '--submit-command <command>',
      "submits an application for $LEAD_EMAIL and prints the customer's page or redirect",
    )
    .option('--events-command <command>', 'prints the events that the application counted for the lead $LEAD_ID')
    .option(
      '--signed-callbacks',
      'sign callbacks with CALLBACK_SIGNING_SECRET, and check that the application verifies signatures',
    )
  addFlags(command, publisherChecks).addHelpText('after', publisherExamples).action(runPublisher)
}

const publisherExamples = `
Examples:
  $ lead-sandbox env publisher > .env
  $ lead-sandbox certify publisher --callback-url "http://127.0.0.1:3000/callbacks/$CALLBACK_SECRET" \\
      --submit-command './apply.sh' --events-command './events.sh' --markdown go-live.md
  $ lead-sandbox certify publisher --submit-command 'node submit.js' --only redirect.new --only reply.lost`

async function runPublisher(flags: PublisherFlags): Promise<void> {
  const { callbackUrl, submitCommand, eventsCommand, signedCallbacks: signed = false } = flags
  // Passing a loopback URL allows it, even if others can reach the sandbox.
  const isHere = callbackUrl !== undefined && isLoopback(new URL(callbackUrl).hostname)
  const allowedHosts = [...flags.allowCallbackHost, ...(isHere ? [targetOf(new URL(callbackUrl))] : [])]
  if (callbackUrl === undefined && submitCommand === undefined)
    throw new CommandError(
      'Nothing to certify. Pass --callback-url, --submit-command, or both (see --help).',
      exitCodes.usage,
    )
  const refused = callbackUrl === undefined ? undefined : refuseCallbackUrl(callbackUrl, allowedHosts)
  if (refused !== undefined) throw new CommandError(`--callback-url ${refused}`, exitCodes.usage)
  await certify('publisher', flags, () =>
    certifyPublisher({ ...optionsOf(flags, allowedHosts), callbackUrl, submitCommand, eventsCommand, signed }),
  )
}

function parseUrl(text: string): string {
  // In normal form, which callbacks are sent to.
  if (URL.canParse(text)) return new URL(text).href
  throw new InvalidArgumentError('Pass an absolute URL, such as http://127.0.0.1:3000/callbacks/your-secret.')
}

interface AdvertiserFlags extends Flags {
  readonly postback?: string
  readonly reportCommand?: string
  /** Milliseconds. */
  readonly patience: number
  /** Milliseconds. */
  readonly quiet: number
}

function describeAdvertiser(command: Command): void {
  command
    .description("Test that an advertiser's application reports every event of a lead, even when calls fail.")
    .option('--postback <command or url>', 'makes the application fire the postback URL of a lead for an event')
    .option('--report-command <command>', 'makes the application report by the JSON call, if it can')
    .addOption(secondsFlag('--patience', 60, 'how long a report may take to succeed, retries included'))
    .addOption(
      secondsFlag(
        '--quiet',
        5,
        'how long to watch for calls that should not come; longer than the application waits between retries',
      ),
    )
  addFlags(command, advertiserChecks).addHelpText('after', advertiserHelp).action(runAdvertiser)
}

const advertiserHelp = `
A command gets LEAD_ID, POSTBACK_URL, EVENT, STATUS_URL, AMOUNT and TERM_MONTHS in its environment; a URL gets a POST
with lead_id, postback_url, event, status_url, amount and term_months as JSON. EVENT is one of registration, approved,
rejected, completed and defaulted, in the order of a loan.

Examples:
  $ lead-sandbox env advertiser > .env
  $ lead-sandbox certify advertiser --postback ./report-event.sh
  $ lead-sandbox certify advertiser --postback http://127.0.0.1:4030/test/report --markdown certification.md`

async function runAdvertiser(flags: AdvertiserFlags): Promise<void> {
  const { postback, reportCommand, patience: patienceMs, quiet: quietMs, allowCallbackHost } = flags
  if (postback === undefined)
    throw new CommandError('Pass --postback: a command or a URL that makes the application report.', exitCodes.usage)
  await certify('advertiser', flags, () =>
    certifyAdvertiser({ ...optionsOf(flags, allowCallbackHost), postback, reportCommand, patienceMs, quietMs }),
  )
}

/** Adds the flags that both certifications have. */
function addFlags(command: Command, checks: readonly { readonly id: string }[]): Command {
  const ids = checks.map(({ id }) => id)
  command
    .addOption(secondsFlag('--command-timeout', 60, 'timeout of a command'))
    .optionsGroup('Which checks:')
    .addOption(
      new Option('--only <id>', 'run only this check; repeatable')
        .default([], 'all')
        .argParser((id: string, chosen: readonly string[]) => {
          if (ids.includes(id)) return [...chosen, id]
          throw new InvalidArgumentError(`Unknown check. Pass one of ${ids.join(', ')}.`)
        }),
    )
    .addOption(profileFlag('run only this profile'))
    .option('--require-all', 'exit with 1 if a check was not seen')
    .optionsGroup('The sandbox that runs them:')
  for (const flag of addressFlags()) command.addOption(flag)
  return command
    .addOption(publicUrlFlag('the URL at which the application reaches the sandbox, if it is different'))
    .addOption(
      seedFlag(
        'make the keys of a sandbox on a network repeatable, as start with the same seed, and therefore guessable',
      ),
    )
    .addOption(callbackHostFlag())
    .optionsGroup('What it prints:')
    .option('--application <name>', 'name of the application in the report, such as "shop 2.4.1"')
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'also write the report as JUnit XML, for build servers')
    .option('--markdown <file>', 'also write the report as Markdown, for the email that asks to go live')
}

/** A flag whose value, given in seconds, is read as milliseconds. */
function secondsFlag(name: string, byDefault: number, description: string): Option {
  return new Option(`${name} <seconds>`, description).default(byDefault * 1000, String(byDefault)).argParser(text => {
    const seconds = Number(text)
    if (!/^\d+(?:\.\d+)?$/.test(text) || seconds === 0 || seconds > 600)
      throw new InvalidArgumentError('Pass a number of seconds greater than 0, at most 600.')
    return seconds * 1000
  })
}

function optionsOf(
  { host, port, publicUrl, seed, commandTimeout, profile, only, application }: Flags,
  allowedCallbackHosts: readonly string[],
): CertifyOptions & Application {
  return {
    startServer: options => startServer(options).catch(asWrongUsage),
    place: { host, port, publicUrl, seed, allowedCallbackHosts },
    call: createApplicationCaller(allowedCallbackHosts),
    commandTimeoutMs: commandTimeout,
    profiles: profile ? [profile] : profileNames,
    only,
    application,
    version,
  }
}

/** Runs a certification, prints and writes its report. */
async function certify(side: string, flags: Flags, run: () => Promise<Certification>): Promise<void> {
  for (const signal of signals) process.on(signal, endAtOnce)
  try {
    const certification = await withProgress(`Running the checks of certify ${side}…`, run)
    await writeReport(flags.junit, () => certificationJunit(certification))
    await writeReport(flags.markdown, () => certificationMarkdown(certification))
    console.log(flags.json ? JSON.stringify(certification) : checklist(certification))
    judge(certification, flags.requireAll === true)
  } finally {
    for (const signal of signals) process.off(signal, endAtOnce)
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Exits instead of dying of the signal, so that a running command is killed too. */
function endAtOnce(): never {
  process.exit(exitCodes.failed)
}

function judge({ passed, failed, not_seen }: Certification, requireAll: boolean): void {
  if (failed > 0) throw new CommandError(`The application is not ready to go live. Checks failed: ${failed}.`)
  if (passed === 0) throw new CommandError('No check passed: the checks had nothing to look at. The report says why.')
  if (requireAll && not_seen > 0) throw new CommandError(`Checks not seen: ${not_seen}. The report says why.`)
}
