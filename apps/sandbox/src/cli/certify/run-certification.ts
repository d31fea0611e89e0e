import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CertifySandbox, openCertifySandbox } from '../../certify/certify-sandbox.ts'
import { type Check, type ProfileName, runChecks } from '../../certify/check.ts'
import {
  type Certification,
  certificationJunit,
  certificationMarkdown,
  checklist,
  createCertification,
} from '../../certify/report.ts'
import { version } from '../../package-files.ts'
import { urlOf } from '../../server.ts'
import { callbackHostFlag } from '../callback-host-flag.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { withProgress, writeReport } from '../printing/printing.ts'
import { asWrongUsage } from '../start.ts'
import { parseOrigin, parsePort, parseSeed } from '../values.ts'

/** The flags of every certification. */
export interface CertifyFlags {
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
  readonly env?: boolean
  /** Milliseconds. */
  readonly commandTimeout: number
}

/** Adds the flags that both certifications have. `ids` are those of their checks. */
export function addCertifyFlags(command: Command, ids: readonly string[]): Command {
  return command
    .option('--env', 'print the environment to start the application with, and end')
    .addOption(
      new Option('--command-timeout <seconds>', 'how long a command may take')
        .default(60_000, '60')
        .argParser(parseSeconds),
    )
    .optionsGroup('Which checks:')
    .addOption(
      new Option('--only <id>', 'run only this check; may be given again')
        .default([], 'all')
        .argParser((id: string, chosen: string[]) => [...chosen, parseId(id, ids)]),
    )
    .addOption(new Option('--profile <name>', 'run only this profile').choices(['prose', 'formal']))
    .option('--require-all', 'end with 1 where a check was not seen')
    .optionsGroup('The sandbox that runs them:')
    .addOption(new Option('--host <host>', 'the address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 takes a free one').default(4010).argParser(parsePort),
    )
    .addOption(
      new Option('--public-url <url>', 'where the application reaches it, if elsewhere').argParser(parseOrigin),
    )
    .addOption(
      new Option(
        '--seed <number>',
        'make the keys of a sandbox on a network the same each time, and so guessable',
      ).argParser(parseSeed),
    )
    .addOption(callbackHostFlag())
    .optionsGroup('What it prints:')
    .option('--application <name>', 'what the report calls the application: shop 2.4.1')
    .option('--json', 'print the report as JSON, for scripts')
    .option('--junit <file>', 'also write it as a JUnit document, for build servers')
    .option('--markdown <file>', 'also write it as Markdown, for the mail that asks to go live')
}

function parseId(id: string, ids: readonly string[]): string {
  if (ids.includes(id)) return id
  throw new InvalidArgumentError(`There is no check of this id. There are ${ids.join(', ')}.`)
}

/** Seconds, as milliseconds. */
export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds === 0 || seconds > 600)
    throw new InvalidArgumentError('Give seconds, from above 0 to 600.')
  return seconds * 1000
}

/** One side's part of a certification. */
export interface Side<Context> {
  readonly certify: Certification['certify']
  readonly checks: readonly Check<Context>[]
  /** What the application is started with, by the names of its variables. */
  readonly environment: (sandbox: CertifySandbox) => Readonly<Record<string, string>>
  /** Begins a round, and makes the context of its checks. */
  readonly enter: (sandbox: CertifySandbox, profile: ProfileName) => Promise<Context>
}

/** Runs a certification by its flags: opens the sandbox, runs the checks, prints and writes the report. */
export async function runCertification<Context>(flags: CertifyFlags, side: Side<Context>): Promise<void> {
  for (const signal of signals) process.on(signal, endAtOnce)
  const place = flags.env ? besideTheOneThatRuns(flags) : flags
  const sandbox = await openCertifySandbox({ ...place, allowedCallbackHosts: flags.allowCallbackHost }).catch(
    asWrongUsage,
  )
  try {
    if (flags.env) return console.log(environmentText(side.environment(sandbox)))
    const certification = await runSide(flags, side, sandbox)
    await writeReport(flags.junit, () => certificationJunit(certification))
    await writeReport(flags.markdown, () => certificationMarkdown(certification))
    console.log(flags.json ? JSON.stringify(certification) : checklist(certification))
    judge(certification, flags.requireAll === true)
  } finally {
    for (const signal of signals) process.off(signal, endAtOnce)
    await sandbox.close()
  }
}

/** `--env` prints what is true of the port, whoever has it: usually the sandbox that the application is tried with. */
function besideTheOneThatRuns({ host, port, publicUrl, ...flags }: CertifyFlags): CertifyFlags {
  return { ...flags, host, port: 0, publicUrl: publicUrl ?? (port === 0 ? undefined : urlOf(host, port)) }
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Exits instead of ending by the signal, so that a command under way is ended too. */
function endAtOnce(): never {
  process.exit(exitCodes.failed)
}

async function runSide<Context>(
  flags: CertifyFlags,
  { certify, checks, enter }: Side<Context>,
  sandbox: CertifySandbox,
): Promise<Certification> {
  const { only, application } = flags
  const profiles: ProfileName[] = flags.profile ? [flags.profile] : ['prose', 'formal']
  const at = new Date().toISOString()
  const results = await withProgress(`Running the checks of certify ${certify}…`, () =>
    runChecks({ checks, profiles, only, enter: profile => enter(sandbox, profile) }),
  )
  const named = application === undefined ? {} : { application }
  return createCertification({ certify, ...named, sandbox: version, at, profiles }, results)
}

function judge({ failed, not_seen }: Certification, requireAll: boolean): void {
  if (failed > 0) throw new CommandError(`The application is not ready to go live: ${failed} of its checks failed.`)
  if (requireAll && not_seen > 0)
    throw new CommandError(
      `Not all was seen: ${not_seen} checks had nothing to look at. The report lists what to give.`,
    )
}

function environmentText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}
