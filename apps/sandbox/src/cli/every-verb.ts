import type { Command } from 'commander'
import { createProgram, loadVerb } from './program.ts'

/** A verb that does something, with all its arguments and flags. */
export interface LoadedVerb {
  /** Such as `start` or `leads list`. */
  readonly name: string
  readonly command: Command
}

/** Loads every verb of the command line. */
export async function everyVerb(): Promise<readonly LoadedVerb[]> {
  const program = createProgram()
  for (const command of program.commands) await loadVerb(command)
  return program.commands.flatMap(command =>
    command.commands.length === 0
      ? [{ name: command.name(), command }]
      : command.commands.map(each => ({ name: `${command.name()} ${each.name()}`, command: each })),
  )
}
