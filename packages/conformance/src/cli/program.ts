import { Command, CommanderError } from 'commander'
import type { Callbacks } from '../callbacks.ts'
import { cases } from '../cases/index.ts'
import { createTarget } from '../create-target.ts'
import { findInterpretations } from '../interpretations/index.ts'
import { breachesOf, createReport, differencesOf } from '../report.ts'
import { preflight, runCases } from '../run-cases.ts'
import { readBaseline, writeBaseline } from './baseline.ts'
import { openCallbackListener } from './callback-listener.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { addFlags, type Flags, factsOfFlags, matching } from './flags.ts'
import { showProgress, writeReport } from './output.ts'
import { columns } from './report-text.ts'

/** Runs the command line; answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.conforms
  const program = addFlags(new Command('lead-conformance'))
    .description('Hold a lead distribution service to its specification, from outside.')
    .showHelpAfterError('(add --help for what there is)')
    .exitOverride()
    .addHelpText('after', help)
    .action(async (flags: Flags, command: Command) => {
      exitCode = await look(flags.account === undefined ? flags : withoutEnvironment(flags, command))
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

/** The flags that were given: an account that is named by hand goes above keys that happen to be in the environment. */
function withoutEnvironment(flags: Flags, command: Command): Flags {
  const given = Object.entries(flags).filter(([name]) => command.getOptionValueSource(name) !== 'env')
  return Object.fromEntries(given) as unknown as Flags
}

async function look(flags: Flags): Promise<number> {
  const chosen = matching(cases, flags.only)
  if (flags.list) {
    console.log(columns(chosen.map(({ id, title, weight = 'specification' }) => [id, weight, title])))
    return exitCodes.conforms
  }
  const facts = await factsOfFlags(flags)
  const baseline =
    flags.baseline === undefined
      ? {}
      : await readBaseline(
          flags.baseline,
          cases.map(({ id }) => id),
        )
  await using listening = await listen(flags)
  const target = createTarget({ facts, callbacks: listening.callbacks, patienceMs: flags.patience * 1000 })
  const error = await preflight(target)
  if (error) throw new CommandError(error)

  const started = new Date()
  const results = await runCases(chosen, target, {
    concurrency: flags.concurrency,
    baseline,
    onResult: showProgress(chosen.length),
  })
  const interpretations = flags.only === undefined ? await findInterpretations(target) : []
  const report = createReport({ base_url: facts.baseUrl, started, cases: results, interpretations })
  if (flags.writeBaseline !== undefined) await writeBaseline(flags.writeBaseline, results, baseline)
  await writeReport(report, flags)
  const failing = [...breachesOf(results), ...(flags.strict ? differencesOf(results) : [])]
  return failing.length > 0 && flags.writeBaseline === undefined ? exitCodes.differs : exitCodes.conforms
}

/** The publisher's end of the callbacks, where it was asked for. */
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
    throw new CommandError(`Could not listen for callbacks (${code}): give --callback-listen an address that is free.`)
  })
  console.error(`Callbacks are taken at ${listener.url}: the target's callback URL must be just that.`)
  return { callbacks: listener, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}

const help = `
Examples:
  $ lead-sandbox tenants show --json > account.json
  $ lead-conformance --account account.json
  $ lead-conformance --base-url https://sandbox.example.com/api/v1 --publisher-id ID --product ID --junit conformance.xml
  $ lead-conformance --list --only '2.8/*'

It ends with 0 when the service conforms, 1 when it differs, 2 on wrong usage or where nobody answers.`
