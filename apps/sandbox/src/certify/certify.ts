import { isLoopback, refuseCallbackUrl, targetOf } from '@lead-distribution/simulator'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { environmentOfAdvertiser } from '../cli/env.ts'
import { CommandError, exitCodes } from '../cli/exit-codes.ts'
import { withProgress, writeReport } from '../cli/printing.ts'
import { addressFlags, callbackHostFlag, publicUrlFlag, seedFlag } from '../cli/server-flags.ts'
import { asWrongUsage } from '../cli/start.ts'
import { profileFlag, profileNames } from '../cli/values.ts'
import { version } from '../package-files.ts'
import { failureChecks } from './advertiser/failure-checks.ts'
import { keyHeaderOnly, reportChecks } from './advertiser/report-checks.ts'
import { type AdvertiserCheck, createAdvertiserDriver, openAdvertiserRound, unlessSilent } from './advertiser/round.ts'
import { type CertifySandbox, openCertifySandbox } from './certify-sandbox.ts'
import { type Check, type ProfileName, runChecks } from './check.ts'
import { callbackChecks, forgeryChecks } from './publisher/callback-checks.ts'
import { createPublisherRound, type PublisherCheck } from './publisher/round.ts'
import { errorChecks, leadChecks, redirectChecks, replyChecks } from './publisher/submission-checks.ts'
import {
  type Certification,
  certificationJunit,
  certificationMarkdown,
  checklist,
  createCertification,
} from './report.ts'

export function describeCertify(command: Command): void {
  describeCertifyPublisher(command.command('publisher'))
  describeCertifyAdvertiser(command.command('advertiser'))
}

interface PublisherFlags extends CertifyFlags {
  readonly callbackUrl?: string
  readonly submitCommand?: string
  readonly eventsCommand?: string
  readonly signedCallbacks?: boolean
}

function describeCertifyPublisher(command: Command): void {
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
  addCertifyFlags(
    command,
    publisherChecks.map(({ id }) => id),
  )
    .addHelpText('after', publisherExamples)
    .action(certifyPublisher)
}

const publisherExamples = `
Examples:
  $ lead-sandbox env publisher > .env
  $ lead-sandbox certify publisher --callback-url "http://127.0.0.1:3000/callbacks/$CALLBACK_SECRET" \\
      --submit-command './apply.sh' --events-command './events.sh' --markdown go-live.md
  $ lead-sandbox certify publisher --submit-command 'node submit.js' --only redirect.new --only reply.lost`

async function certifyPublisher(flags: PublisherFlags): Promise<void> {
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
  const commandTimeoutMs = flags.commandTimeout
  const application = { callbackUrl, submitCommand, eventsCommand, signed, commandTimeoutMs, allowedHosts }
  await runCertification(
    { ...flags, allowCallbackHost: allowedHosts },
    {
      certify: 'publisher',
      checks: publisherChecksFor(signed, flags.only),
      enter: async (sandbox, profile) => {
        const callback_signature = signed ? 'standard_webhooks' : 'none'
        // One attempt each: a failed callback is resent only by its own check, not during the next one.
        await sandbox.enter(
          profile,
          { callback_retries: [], callback_signature },
          { callback_url: callbackUrl ?? null },
        )
        return createPublisherRound(sandbox, profile, application)
      },
    },
  )
}

function parseUrl(text: string): string {
  // In normal form, which callbacks are sent to.
  if (URL.canParse(text)) return new URL(text).href
  throw new InvalidArgumentError('Pass an absolute URL, such as http://127.0.0.1:3000/callbacks/your-secret.')
}

/** The checks of a publisher's application, in the order to run them and to fix problems. */
export const publisherChecks: readonly PublisherCheck[] = [
  ...leadChecks,
  ...redirectChecks,
  ...errorChecks,
  ...replyChecks,
  ...callbackChecks,
  ...forgeryChecks,
]

/** The checks to run. That of signatures runs only if callbacks are signed (an extension) or if `only` names it. */
export function publisherChecksFor(signed: boolean, only: readonly string[]): readonly PublisherCheck[] {
  return publisherChecks.filter(({ id }) => id !== 'forged.signature' || signed || only.includes(id))
}

interface AdvertiserFlags extends CertifyFlags {
  readonly postback?: string
  readonly reportCommand?: string
  /** Milliseconds. */
  readonly patience: number
  /** Milliseconds. */
  readonly quiet: number
}

function describeCertifyAdvertiser(command: Command): void {
  command
    .description("Test that an advertiser's application reports every event of a lead, even when calls fail.")
    .option('--postback <command or url>', 'makes the application fire the postback URL of a lead for an event')
    .option('--report-command <command>', 'makes the application report by the JSON call, if it can')
    .addOption(
      new Option('--patience <seconds>', 'how long a report may take to succeed, retries included')
        .default(60_000, '60')
        .argParser(parseSeconds),
    )
    .addOption(
      new Option(
        '--quiet <seconds>',
        'how long to watch for calls that should not come; longer than the application waits between retries',
      )
        .default(5_000, '5')
        .argParser(parseSeconds),
    )
  addCertifyFlags(
    command,
    advertiserChecks.map(({ id }) => id),
  )
    .addHelpText('after', advertiserHelp)
    .action(() => certifyAdvertiser(command.opts<AdvertiserFlags>()))
}

const advertiserHelp = `
A command gets LEAD_ID, POSTBACK_URL, EVENT, STATUS_URL, AMOUNT and TERM_MONTHS in its environment; a URL gets a POST
with lead_id, postback_url, event, status_url, amount and term_months as JSON. EVENT is one of registration, approved,
rejected, completed and defaulted, in the order of a loan.

Examples:
  $ lead-sandbox env advertiser > .env
  $ lead-sandbox certify advertiser --postback ./report-event.sh
  $ lead-sandbox certify advertiser --postback http://127.0.0.1:4030/test/report --markdown certification.md`

async function certifyAdvertiser({
  postback,
  reportCommand,
  patience,
  quiet,
  ...flags
}: AdvertiserFlags): Promise<void> {
  if (postback === undefined)
    throw new CommandError('Pass --postback: a command or a URL that makes the application report.', exitCodes.usage)
  await runCertification(flags, {
    certify: 'advertiser',
    checks: advertiserChecks,
    enter(sandbox, profile) {
      const { allowCallbackHost: allowedHosts, commandTimeout: timeoutMs } = flags
      const drive = createAdvertiserDriver({
        allowedHosts,
        timeoutMs,
        environment: environmentOfAdvertiser(sandbox.account()),
      })
      const ways = { postback, report: reportCommand }
      return openAdvertiserRound({ sandbox, profile, drive, ways, patienceMs: patience, quietMs: quiet })
    },
  })
}

/** The checks of an advertiser's application, in order: the last one looks at everything before it. */
export const advertiserChecks: readonly AdvertiserCheck[] = [...reportChecks, ...failureChecks, keyHeaderOnly].map(
  unlessSilent,
)

interface CertifyFlags {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
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

/** Adds the flags that both certifications have. `ids` are those of their checks. */
function addCertifyFlags(command: Command, ids: readonly string[]): Command {
  command
    .addOption(
      new Option('--command-timeout <seconds>', 'timeout of a command').default(60_000, '60').argParser(parseSeconds),
    )
    .optionsGroup('Which checks:')
    .addOption(
      new Option('--only <id>', 'run only this check; repeatable')
        .default([], 'all')
        .argParser((id: string, chosen: string[]) => [...chosen, parseId(id, ids)]),
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

function parseId(id: string, ids: readonly string[]): string {
  if (ids.includes(id)) return id
  throw new InvalidArgumentError(`Unknown check. Pass one of ${ids.join(', ')}.`)
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds === 0 || seconds > 600)
    throw new InvalidArgumentError('Pass a number of seconds greater than 0, at most 600.')
  return seconds * 1000
}

interface Side<Context> {
  readonly certify: Certification['certify']
  readonly checks: readonly Check<Context>[]
  /** Begins a round, and returns the context of its checks. */
  readonly enter: (sandbox: CertifySandbox, profile: ProfileName) => Promise<Context>
}

/** Runs a certification: opens the sandbox, runs the checks, prints and writes the report. */
async function runCertification<Context>(
  flags: CertifyFlags,
  { certify, checks, enter }: Side<Context>,
): Promise<void> {
  const { only, application, profile } = flags
  const profiles = profile ? [profile] : profileNames
  for (const signal of signals) process.on(signal, endAtOnce)
  const sandbox = await openCertifySandbox({ ...flags, allowedCallbackHosts: flags.allowCallbackHost }).catch(
    asWrongUsage,
  )
  try {
    const at = new Date().toISOString()
    const results = await withProgress(`Running the checks of certify ${certify}…`, () =>
      runChecks({ checks, profiles, only, enter: profile => enter(sandbox, profile) }),
    )
    const named = application === undefined ? {} : { application }
    const certification = createCertification({ certify, ...named, sandbox: version, at, profiles }, results)
    await writeReport(flags.junit, () => certificationJunit(certification))
    await writeReport(flags.markdown, () => certificationMarkdown(certification))
    console.log(flags.json ? JSON.stringify(certification) : checklist(certification))
    judge(certification, flags.requireAll === true)
  } finally {
    for (const signal of signals) process.off(signal, endAtOnce)
    await sandbox.close()
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
