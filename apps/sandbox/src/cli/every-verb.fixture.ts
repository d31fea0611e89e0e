import type { Command } from 'commander'
import { createProgram, loadVerb } from './program.ts'

/** Every verb of the command line that does something, fully loaded: `start`, `leads list`, … */
export async function everyVerb(): Promise<readonly { readonly name: string; readonly command: Command }[]> {
  const program = createProgram()
  for (const command of program.commands) await loadVerb(command)
  return program.commands.flatMap(command =>
    command.commands.length === 0
      ? [{ name: command.name(), command }]
      : command.commands.map(each => ({ name: `${command.name()} ${each.name()}`, command: each })),
  )
}
