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
  publisherChecks,
} from '@lead-distribution/certification'
import { isLoopback, refuseCallbackUrl, targetOf } from '@lead-distribution/simulator'
import { InvalidArgumentError } from 'commander'
import { version } from '../package-files.ts'
import { startServer } from '../server.ts'
import { createApplicationCaller } from './call-application.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { byDefault, flag, type InputOf, oneOf, onOff, repeatable, type Taken, under } from './flags.ts'
import { withProgress, writeReport } from './printing.ts'
import { group, localVerb } from './run-verb.ts'
import { addressFlags, callbackHostFlag, publicUrlFlag, seedFlag } from './server-flags.ts'
import { asWrongUsage } from './start.ts'
import { profileNames } from './values.ts'

const withCommands = { commandTimeout: seconds('timeout of a command', 60) }

/** The flags of both certifications. */
const shared = (checks: readonly { readonly id: string }[]) => ({
  ...under('Which checks:', {
    only: repeatable('<id>', 'run only this check', text => [checkId(text, checks)], 'all'),
    profile: oneOf(flag('<name>', 'run only this profile'), profileNames),
    requireAll: onOff('exit with 1 if a check was not seen'),
  }),
  ...under('The sandbox that runs them:', {
    ...addressFlags,
    publicUrl: publicUrlFlag('the URL at which the application reaches the sandbox, if different'),
    seed: seedFlag(
      'make the keys of a sandbox on a network repeatable, like start with the same seed, and therefore guessable',
    ),
    allowCallbackHost: callbackHostFlag(),
  }),
  ...under('What it prints:', {
    application: flag('<name>', 'name of the application in the report, such as "shop 2.4.1"'),
    json: onOff('print the report as JSON'),
    junit: flag('<file>', 'also write the report as JUnit XML, for CI servers'),
    markdown: flag('<file>', 'also write the report as Markdown, for your go-live request'),
  }),
})

function checkId(id: string, checks: readonly { readonly id: string }[]): string {
  if (checks.some(check => check.id === id)) return id
  throw new InvalidArgumentError(`Unknown check. Pass one of ${checks.map(check => check.id).join(', ')}.`)
}

const publisherFlags = {
  ...under('The application:', {
    callbackUrl: flag('<url>', 'the URL where the application receives callbacks', parseUrl),
    submitCommand: flag(
      '<command>',
      "submits an application for $LEAD_EMAIL and prints the customer's page or redirect",
    ),
    eventsCommand: flag('<command>', 'prints the events that the application counted for the lead $LEAD_ID'),
    signedCallbacks: onOff(
      'sign callbacks with CALLBACK_SIGNING_SECRET, and check that the application verifies signatures',
    ),
    ...withCommands,
  }),
  ...shared(publisherChecks),
}

const advertiserFlags = {
  postback: flag('<command or url>', 'makes the application fire the postback URL of a lead for an event'),
  reportCommand: flag('<command>', 'makes the application report in a JSON request, if it can'),
  patience: seconds('how long a report may take to succeed, including retries', 60),
  quiet: seconds('how long to watch for unexpected requests; longer than the application waits between retries', 5),
  ...withCommands,
  ...shared(advertiserChecks),
}

type Flags = InputOf<ReturnType<typeof shared> & typeof withCommands>

export const certify = group({
  publisher: localVerb({
    does: "Test a publisher's application against the failures that break integrations, and report the results.",
    takes: publisherFlags,
    notes: 'To configure the application first: lead-sandbox env publisher > .env',
    examples: [
      `--callback-url "http://127.0.0.1:3000/callbacks/$CALLBACK_SECRET" \\
      --submit-command './apply.sh' --events-command './events.sh' --markdown go-live.md`,
      `--submit-command 'node submit.js' --only redirect.new --only reply.lost`,
    ],
    call: runPublisher,
  }),
  advertiser: localVerb({
    does: "Test that an advertiser's application reports every event of a lead, even when requests fail.",
    takes: advertiserFlags,
    notes: `A command gets LEAD_ID, POSTBACK_URL, EVENT, STATUS_URL, AMOUNT and TERM_MONTHS in its environment; a URL gets a POST
with lead_id, postback_url, event, status_url, amount and term_months as JSON. EVENT is one of registration, approved,
rejected, completed and defaulted, in the order of a loan.

To configure the application first: lead-sandbox env advertiser > .env`,
    examples: [
      '--postback ./report-event.sh',
      '--postback http://127.0.0.1:4030/test/report --markdown certification.md',
    ],
    call: runAdvertiser,
  }),
})

async function runPublisher(flags: InputOf<typeof publisherFlags>): Promise<void> {
  const { callbackUrl, submitCommand, eventsCommand, signedCallbacks: signed = false } = flags
  // Passing a loopback URL allows it, even on a shared sandbox.
  const isHere = callbackUrl !== undefined && isLoopback(new URL(callbackUrl).hostname)
  const allowedHosts = [...flags.allowCallbackHost, ...(isHere ? [targetOf(new URL(callbackUrl))] : [])]
  if (callbackUrl === undefined && submitCommand === undefined)
    throw new CommandError(
      'Nothing to certify. Pass --callback-url, --submit-command, or both (see --help).',
      exitCodes.usage,
    )
  const refused = callbackUrl === undefined ? undefined : refuseCallbackUrl(callbackUrl, allowedHosts)
  if (refused !== undefined) throw new CommandError(`--callback-url ${refused}`, exitCodes.usage)
  await runCertification('publisher', flags, () =>
    certifyPublisher({ ...optionsOf(flags, allowedHosts), callbackUrl, submitCommand, eventsCommand, signed }),
  )
}

function parseUrl(text: string): string {
  // Normalized, because callbacks are sent to the normalized URL.
  if (URL.canParse(text)) return new URL(text).href
  throw new InvalidArgumentError('Pass an absolute URL, such as http://127.0.0.1:3000/callbacks/your-secret.')
}

async function runAdvertiser(flags: InputOf<typeof advertiserFlags>): Promise<void> {
  const { postback, reportCommand, patience: patienceMs, quiet: quietMs, allowCallbackHost } = flags
  if (postback === undefined)
    throw new CommandError('Pass --postback: a command or a URL that makes the application report.', exitCodes.usage)
  await runCertification('advertiser', flags, () =>
    certifyAdvertiser({ ...optionsOf(flags, allowCallbackHost), postback, reportCommand, patienceMs, quietMs }),
  )
}

/** A flag in seconds; its value is converted to milliseconds. */
function seconds(about: string, defaultSeconds: number): Taken<number> {
  const read = (text: string) => {
    const value = Number(text)
    if (!/^\d+(?:\.\d+)?$/.test(text) || value === 0 || value > 600)
      throw new InvalidArgumentError('Pass a number of seconds greater than 0, at most 600.')
    return value * 1000
  }
  return byDefault(flag('<seconds>', about, read), defaultSeconds * 1000, String(defaultSeconds))
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

/** Runs a certification, then prints and writes its report. */
async function runCertification(side: string, flags: Flags, run: () => Promise<Certification>): Promise<void> {
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

/** Exits instead of dying from the signal, so that a running command is killed too. */
function endAtOnce(): never {
  process.exit(exitCodes.failed)
}

function judge({ passed, failed, not_seen }: Certification, requireAll: boolean): void {
  if (failed > 0) throw new CommandError(`The application is not ready to go live. Checks failed: ${failed}.`)
  if (passed === 0)
    throw new CommandError('No check passed: the checks had nothing to examine. The report explains why.')
  if (requireAll && not_seen > 0) throw new CommandError(`Checks not seen: ${not_seen}. The report explains why.`)
}
