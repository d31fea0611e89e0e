import { isLoopback, refuseCallbackUrl, targetOf } from '@lead-distribution/simulator'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { publisherEnvironment } from '../../certify/publisher/application.ts'
import { publisherChecks, publisherChecksFor } from '../../certify/publisher/checks/index.ts'
import { createPublisherRound } from '../../certify/publisher/round.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { addCertifyFlags, type CertifyFlags, runCertification } from './run-certification.ts'

interface Flags extends CertifyFlags {
  readonly callbackUrl?: string
  readonly submitCommand?: string
  readonly eventsCommand?: string
  readonly signedCallbacks?: boolean
}

/** `lead-sandbox certify publisher`. */
export function describeCertifyPublisher(command: Command): void {
  command
    .description(
      "Run the failures that break integrations against a publisher's application, and report what it survives.",
    )
    .optionsGroup('The application:')
    .addOption(new Option('--callback-url <url>', 'where it takes callbacks').argParser(parseUrl))
    .option('--submit-command <command>', 'submits an application of $LEAD_EMAIL, prints what the customer gets')
    .option('--events-command <command>', 'prints the events that it counts for the lead $LEAD_ID')
    .option('--signed-callbacks', 'have callbacks signed, and see that signatures are verified')
  addCertifyFlags(
    command,
    publisherChecks.map(({ id }) => id),
  )
    .addHelpText('after', examples)
    .action(certify)
}

const examples = `
Examples:
  $ lead-sandbox certify publisher --env
  $ lead-sandbox certify publisher --callback-url http://127.0.0.1:3000/callbacks/SECRET \\
      --submit-command './apply.sh' --events-command './events.sh' --markdown go-live.md
  $ lead-sandbox certify publisher --submit-command 'node submit.js' --only redirect.new --only reply.lost`

async function certify(flags: Flags): Promise<void> {
  const { callbackUrl, submitCommand, eventsCommand, signedCallbacks: signed = false } = flags
  // Named here, the application is allowed: also where it is on this machine and others reach the sandbox.
  const isHere = callbackUrl !== undefined && isLoopback(new URL(callbackUrl).hostname)
  const allowedHosts = [...flags.allowCallbackHost, ...(isHere ? [targetOf(new URL(callbackUrl))] : [])]
  if (!flags.env) refuseWithout(callbackUrl, submitCommand)
  const refused = callbackUrl === undefined ? undefined : refuseCallbackUrl(callbackUrl, allowedHosts)
  if (refused !== undefined) throw new CommandError(`--callback-url ${refused}`, exitCodes.usage)
  const commandTimeoutMs = flags.commandTimeout
  const application = { callbackUrl, submitCommand, eventsCommand, signed, commandTimeoutMs, allowedHosts }
  await runCertification(
    { ...flags, allowCallbackHost: allowedHosts },
    {
      certify: 'publisher',
      checks: publisherChecksFor(signed, flags.only),
      environment: ({ account }) => publisherEnvironment(account(), signed),
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

function refuseWithout(callbackUrl: string | undefined, submitCommand: string | undefined): void {
  if (callbackUrl !== undefined || submitCommand !== undefined) return
  throw new CommandError(
    'There is nothing to certify: give --callback-url, --submit-command, or both (add --help for what they are).',
    exitCodes.usage,
  )
}

function parseUrl(text: string): string {
  if (URL.canParse(text)) return text
  throw new InvalidArgumentError('Give an absolute URL, such as http://127.0.0.1:3000/callbacks/SECRET.')
}
