import { Command, CommanderError } from 'commander'
import { cases } from '../cases/index.ts'
import { weightOf } from '../conformance-case.ts'
import { createTarget } from '../create-target.ts'
import { findInterpretations } from '../interpretations/index.ts'
import {
  breachesOf,
  type ConformanceReport,
  columns,
  createReport,
  differencesOf,
  reportJunit,
  reportText,
} from '../report.ts'
import { preflight, runCases } from '../run-cases.ts'
import type { Callbacks } from '../target.ts'
import { changesSince, readBaseline, writeBaseline, writeText } from './baseline.ts'
import { openCallbackListener } from './callback-listener.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { addFlags, type Flags, factsOfFlags, matching } from './flags.ts'

const help = `
Examples:
  $ lead-sandbox tenants show --json > account.json
  $ lead-conformance --account account.json
  $ lead-conformance --base-url https://sandbox.example.com/api/v1 --publisher-id ID --product ID --junit conformance.xml
  $ lead-conformance --account account.json --baseline last.json --update-baseline
  $ lead-conformance --list --only '2.8/*'

Exit codes: 0 if the service conforms, 1 if it doesn't, 2 for wrong usage or if the service doesn't respond.
With --baseline: 1 only if it breaches what it didn't breach before, with --strict also for another interpretation.
The baseline is written with --update-baseline alone; the run that creates it ends with 0.`

/** Runs the command. Resolves with the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.conforms
  const program = addFlags(new Command('lead-conformance'))
    .description('Test a lead distribution service against its specification, from outside.')
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

/** Drops flags that come from the environment: an account given by hand wins over keys that happen to be there. */
function withoutEnvironment(flags: Flags, command: Command): Flags {
  const given = Object.entries(flags).filter(([name]) => command.getOptionValueSource(name) !== 'env')
  return Object.fromEntries(given) as unknown as Flags
}

async function test(flags: Flags): Promise<number> {
  const chosen = matching(cases, flags.only)
  if (flags.list) {
    console.log(columns(chosen.map(each => [each.id, weightOf(each), each.title])))
    return exitCodes.conforms
  }
  const facts = await factsOfFlags(flags)
  const ids = cases.map(({ id }) => id)
  const { baseline: file, updateBaseline = false } = flags
  if (updateBaseline && file === undefined)
    throw new CommandError('--update-baseline needs a file: pass --baseline FILE too.')
  const baseline = file === undefined ? undefined : await readBaseline(file, ids, updateBaseline)
  await using listening = await listen(flags)
  const target = createTarget({ facts, callbacks: listening.callbacks, patienceMs: flags.patience * 1000 })
  const error = await preflight(target)
  if (error) throw new CommandError(error)

  const started = new Date()
  const results = await runCases(chosen, target, {
    concurrency: flags.concurrency,
    baseline: baseline?.failed ?? {},
    onResult: showProgress(chosen.length),
  })
  const interpretations = flags.only === undefined ? await findInterpretations(target) : []
  const changes = baseline && changesSince(baseline, { cases: results, interpretations })
  const report = createReport({ base_url: facts.baseUrl, started, cases: results, interpretations, changes })
  await writeReport(report, flags)
  // Last: a run whose report nobody got is compared again.
  if (file !== undefined && updateBaseline) await writeBaseline(file, report, baseline)
  // The first run has nothing to be compared with.
  return isWorse(report, flags) && !(updateBaseline && !baseline) ? exitCodes.differs : exitCodes.conforms
}

/** Returns true if a run differs, or differs more than its baseline; other interpretations count if `strict`. */
function isWorse({ cases, interpretations, changes = [] }: ConformanceReport, { strict }: Flags): boolean {
  if (breachesOf(cases).length > 0) return true
  const points = interpretations.map(({ point }): string => point)
  return strict === true && (differencesOf(cases).length > 0 || changes.some(({ id }) => points.includes(id)))
}

/** Opens the publisher's end of the callbacks, if the flags ask for it. */
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
  console.error(`Listening for callbacks at ${listener.url}. The target's callback URL must be exactly this.`)
  return { callbacks: listener, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}

/** Counts finished cases on stderr if it is a terminal. Clears the line after the last one. */
function showProgress(total: number): () => void {
  let done = 0
  return () => {
    done++
    if (process.stderr.isTTY) process.stderr.write(done < total ? `\r${done} of ${total}` : '\r\u001b[K')
  }
}

/** Writes a report in every requested format: as text or JSON to standard output, as JSON or JUnit to a file. */
async function writeReport(report: ConformanceReport, { json, junit, strict }: Flags): Promise<void> {
  const text = JSON.stringify(report, null, 2)
  if (junit !== undefined) await writeText(junit, reportJunit(report, strict))
  if (typeof json === 'string') await writeText(json, `${text}\n`)
  console.log(json === true ? text : reportText(report))
}
