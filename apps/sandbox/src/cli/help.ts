import { closest, namedWithin } from '@lead-distribution/contract/diagnostics'
import type { Command } from 'commander'
import { everyVerb } from './every-verb.ts'

/** `lead-sandbox help`. */
export function describeHelp(command: Command): void {
  command
    .argument('[verb...]', 'a verb, such as leads list')
    .option('--all', 'list every verb')
    .addHelpText('after', '\nExamples:\n  $ lead-sandbox help --all\n  $ lead-sandbox help leads list')
    .action(async (verb: readonly string[], { all = false }: { readonly all?: boolean }) => {
      const { createProgram } = await import('./program.ts')
      await createProgram({ all }).parseAsync([...verb, '--help'], { from: 'user' })
    })
}

/** Returns the verb that somebody probably meant, such as `leads explain`; undefined if none resembles the arguments. */
export async function verbMeant(args: readonly string[]): Promise<string | undefined> {
  const end = args.findIndex(arg => arg.startsWith('-'))
  const [first = '', second] = args.slice(0, end < 0 ? args.length : end)
  const verbs = (await everyVerb()).map(({ name }) => name)
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
