import { writeFile } from 'node:fs/promises'
import { Command, CommanderError } from 'commander'
import { cases } from '../cases/index.ts'
import { createTarget } from '../create-target.ts'
import { findInterpretations } from '../probes/index.ts'
import { type ConformanceReport, createReport, reportJunit, reportText } from '../report.ts'
import { preflight, runCases } from '../run-cases.ts'
import type { Callbacks } from '../target.ts'
import { CommandError } from './account-file.ts'
import { openCallbackListener } from './callback-listener.ts'
import { addFlags, type Flags, factsOfFlags, matching } from './flags.ts'

/** `usage` also covers a service that doesn't respond. */
const exitCodes = { conforms: 0, differs: 1, usage: 2 } as const

const help = `
Examples:
  $ lead-sandbox tenants show --json > account.json
  $ lead-conformance --account account.json
  $ lead-conformance --account account.json --only '2.8/*'
  $ lead-conformance --base-url https://sandbox.example.com/api/v1 \\
      --publisher-id ID --product ID --json report.json

Exit codes: 0 ok, 1 failed, 2 usage error or no response from the service.
`

/** Runs the command. Resolves with the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.conforms
  const program = addFlags(new Command('lead-conformance'))
    .description('Test a lead distribution service against its specification, as a black box.')
    .showHelpAfterError('(run with --help for all options)')
    .exitOverride()
    .addHelpText('after', help)
    .action(async (flags: Flags, command: Command) => {
      exitCode = await test(flags.account === undefined ? flags : withoutEnvironment(flags, command))
    })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.conforms : exitCodes.usage
    console.error(error instanceof CommandError ? error.message : error)
    return exitCodes.usage
  }
}

/** Ignores flags from the environment: an explicit account takes precedence over keys that happen to be set there. */
function withoutEnvironment(flags: Flags, command: Command): Flags {
  const given = Object.entries(flags).filter(([name]) => command.getOptionValueSource(name) !== 'env')
  return Object.fromEntries(given) as unknown as Flags
}

async function test(flags: Flags): Promise<number> {
  const chosen = matching(cases, flags.only)
  if (flags.list) {
    console.log(chosen.map(({ id }) => id).join('\n'))
    return exitCodes.conforms
  }
  const facts = await factsOfFlags(flags)
  await using listening = await listen(flags)
  const target = createTarget({ facts, callbacks: listening.callbacks, patienceMs: flags.patience * 1000 })
  const error = await preflight(target)
  if (error) throw new CommandError(error)

  const started = new Date()
  const results = await runCases(chosen, target, {
    concurrency: flags.concurrency,
    onResult: showProgress(chosen.length),
  })
  const interpretations = flags.only === undefined ? await findInterpretations(target) : []
  const report = createReport(facts.baseUrl, started, results, interpretations)
  await writeReport(report, flags)
  return report.conforms ? exitCodes.conforms : exitCodes.differs
}

/** Starts the callback listener if the flags ask for it. */
async function listen({
  callbackListen,
  callbackUrl,
  patience,
}: Flags): Promise<AsyncDisposable & { callbacks?: Callbacks }> {
  if (!callbackListen) return { async [Symbol.asyncDispose]() {} }
  const listener = await openCallbackListener({
    ...callbackListen,
    url: callbackUrl,
    patienceMs: patience * 1000,
  }).catch(({ code }) => {
    throw new CommandError(`Could not listen for callbacks (${code}): pass a free address to --callback-listen.`)
  })
  console.error(`Listening for callbacks at ${listener.url}. Set the target's callback URL to exactly this.`)
  return { callbacks: listener, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}

/** Shows the number of finished cases on stderr if it is a terminal. Clears the line after the last one. */
function showProgress(total: number): () => void {
  let done = 0
  return () => {
    done++
    if (process.stderr.isTTY) process.stderr.write(done < total ? `\r${done} of ${total}` : '\r\u001b[K')
  }
}

/** Writes a report in every requested format: text or JSON to standard output, JSON or JUnit to a file. */
async function writeReport(report: ConformanceReport, { json, junit }: Flags): Promise<void> {
  const text = JSON.stringify(report, null, 2)
  if (junit !== undefined) await writeText(junit, reportJunit(report))
  if (typeof json === 'string') await writeText(json, `${text}\n`)
  console.log(json === true ? text : reportText(report))
}

async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(({ code }) => {
    throw new CommandError(`Could not write ${file} (${code}): pass a file in an existing folder.`)
  })
}
