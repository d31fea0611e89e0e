import { styleText } from 'node:util'
import { Command, CommanderError } from 'commander'
import { CommandError, exitCodes, messageOf } from './exit-codes.ts'
import { verbs } from './verbs.ts'

/** The command line. Of each verb only the summary is there; the rest is loaded when the verb is called. */
export function createProgram(): Command {
  const program = new Command('lead-sandbox')
    .description('A lead distribution service to test against: real rules, real state, no way to a real advertiser.')
    .showHelpAfterError('(add --help for what there is)')
    .exitOverride()
    // Commander takes the style off again where the stream shows no colours.
    .configureHelp({ styleTitle: text => styleText('bold', text, { validateStream: false }) })
    .addHelpText('after', exitCodesHelp)
  for (const { name, summary, group } of verbs) program.command(name).description(summary).helpGroup(group)
  program.addHelpCommand(
    new Command('help').argument('[verb]').description('Show the help of a verb.').helpGroup('Help:'),
  )
  return program.hook('preSubcommand', async (_program, command) => {
    const describe = await verbs.find(({ name }) => name === command.name())?.load()
    describe?.(command)
  })
}

/** Runs the command line; resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    console.error(messageOf(error))
    return error instanceof CommandError ? error.exitCode : exitCodes.failed
  }
}

const exitCodesHelp = `
A first round:
  $ lead-sandbox start
  $ lead-sandbox submit
  $ lead-sandbox leads explain LEAD_ID
  $ lead-sandbox trigger approved --lead LEAD_ID
  $ lead-sandbox callbacks list

It ends with 0 when done, 1 when refused or failed, 2 on wrong usage.`
