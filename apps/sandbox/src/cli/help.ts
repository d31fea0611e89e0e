import { closest, namedWithin } from '@lead-distribution/contract/diagnostics'
import type { Command, Option } from 'commander'
import type { LoadedVerb } from './completions.ts'
import { argument, onOff } from './flags.ts'
import { type Describe, localVerb } from './run-verb.ts'

/** Creates the verb `help`, given all verbs. */
export const help = (
  createProgram: (options: { all: boolean }) => Command,
  everyVerb: () => Promise<readonly LoadedVerb[]>,
): Describe =>
  localVerb({
    takes: {
      verb: argument('[verb...]', 'a verb, such as leads list'),
      all: onOff('list every verb'),
      markdown: onOff('print the reference of every verb as Markdown'),
    },
    examples: ['--all', 'leads list'],
    async call({ verb = [], all = false, markdown }) {
      if (markdown) return console.log(reference(await everyVerb()))
      const program = createProgram({ all })
      const [first] = verb
      if (first !== undefined && !program.commands.some(each => each.name() === first))
        program.error(`error: unknown command '${first}'`, { code: 'commander.unknownCommand' })
      await program.parseAsync([...verb, '--help'], { from: 'user' })
    },
  })

/** The flags shared by all verbs on a running sandbox. */
const shared = ['--sandbox', '--tenant', '--admin-token', '--json']

/** Formats the reference of every verb as Markdown: usage, description, and flags. */
function reference(verbs: readonly LoadedVerb[]): string {
  const isShared = ({ long = '', envVar = '' }: Option) => shared.includes(long) && !envVar.includes('_CERTIFY_')
  const sharedFlags = verbs.find(({ name }) => name === 'leads list')?.command.options.filter(isShared) ?? []
  const groups = Map.groupBy(verbs, ({ command }) => (command.parent?.parent ? command.parent : command).helpGroup())
  const section = ({ name, command }: LoadedVerb) => {
    const own = command.options.filter(option => name === 'start' || !isShared(option))
    const operands = command.registeredArguments.map(each => ` ${each.name().toUpperCase()}`).join('')
    return [
      `### ${name}`,
      `\`lead-sandbox ${name}${operands}\`: ${command.description()}`,
      ...(own.length > 0 ? [flagTable(own, name === 'start')] : []),
    ]
  }
  return [
    '## Flags of every verb',
    flagTable(sharedFlags, true),
    ...[...groups].flatMap(([group, members]) => [`## ${group.replace(/:$/, '')}`, ...members.flatMap(section)]),
  ].join('\n\n')
}

function flagTable(options: readonly Option[], withVariables: boolean): string {
  const rows = options.map(({ flags, description, defaultValue, defaultValueDescription, argChoices, envVar }) => {
    const isGiven = defaultValue !== undefined && typeof defaultValue !== 'boolean'
    const text = [
      description,
      ...(argChoices ? [argChoices.map(choice => `\`${choice}\``).join(', ')] : []),
      ...(isGiven ? [`default: ${defaultValueDescription ?? `\`${defaultValue}\``}`] : []),
    ].join('; ')
    return [`\`${flags}\``, ...(withVariables ? [`\`${envVar}\``] : []), text.replaceAll('|', '\\|')]
  })
  const head = ['flag', ...(withVariables ? ['variable'] : []), 'does']
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** Returns the verb that the user probably meant, such as `leads explain`; undefined if no verb is similar. */
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
