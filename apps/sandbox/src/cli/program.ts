import { Command, CommanderError } from 'commander'
import { RefusedStart } from '../server.ts'
import { startCommand } from './start.ts'

/** What a command ends with: done, refused or failed, wrong usage. */
const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** Runs the command line; answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('lead-sandbox')
    .description('A lead distribution service to test against: real rules, real state, no way to a real advertiser.')
    .addCommand(startCommand())
    .showHelpAfterError('(add --help for what there is)')
  for (const command of [program, ...program.commands]) command.exitOverride()
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (fault) {
    if (fault instanceof CommanderError) return fault.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (fault instanceof RefusedStart) {
      console.error(fault.message)
      return exitCodes.usage
    }
    console.error(fault instanceof Error ? fault.message : String(fault))
    return exitCodes.failed
  }
}
