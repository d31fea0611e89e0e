import { closest, namedWithin } from '@lead-distribution/contract/diagnostics'
import type { Command } from 'commander'

/** `lead-sandbox help`. */
export function describeHelp(command: Command, createProgram: (options: { all: boolean }) => Command): void {
  command
    .argument('[verb...]', 'a verb, such as leads list')
    .option('--all', 'list every verb')
    .addHelpText('after', '\nExamples:\n  $ lead-sandbox help --all\n  $ lead-sandbox help leads list')
    .action(async (verb: readonly string[], { all = false }: { readonly all?: boolean }) => {
      const program = createProgram({ all })
      const [first] = verb
      if (first !== undefined && !program.commands.some(each => each.name() === first))
        program.error(`error: unknown command '${first}'`, { code: 'commander.unknownCommand' })
      await program.parseAsync([...verb, '--help'], { from: 'user' })
    })
}

/** Returns the verb that somebody probably meant, such as `leads explain`; undefined if none resembles the arguments. */
export function verbMeant(args: readonly string[], verbs: readonly string[]): string | undefined {
  const end = args.findIndex(arg => arg.startsWith('-'))
  const [first = '', second] = args.slice(0, end < 0 ? args.length : end)
  const byLast = new Map(verbs.map(name => [name.split(' ').at(-1) ?? name, name]))
  const last = closest(first, [...byLast.keys()])
  return (
    (second === undefined ? undefined : closest(`${first} ${second}`, verbs)) ??
    closest(
      first,
      verbs.filter(name => !name.includes(' ')),
    ) ??
    (last && byLast.get(last)) ??
    namedWithin(first, verbs)
  )
}
