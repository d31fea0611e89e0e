import type { Command } from 'commander'
import { createProgram, verbs } from './program.ts'

/** Every verb of the command line that does something, fully loaded: `start`, `leads list`, … */
export async function everyVerb(): Promise<readonly { readonly name: string; readonly command: Command }[]> {
  const program = createProgram()
  for (const { name, load } of verbs) {
    const command = program.commands.find(each => each.name() === name)
    if (command) (await load())(command)
  }
  return program.commands.flatMap(command =>
    command.commands.length === 0
      ? [{ name: command.name(), command }]
      : command.commands.map(each => ({ name: `${command.name()} ${each.name()}`, command: each })),
  )
}
