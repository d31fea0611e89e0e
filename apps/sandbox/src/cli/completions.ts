import type { Command } from 'commander'
import { argument, oneOf } from './flags.ts'
import { type Describe, localVerb } from './run-verb.ts'

/** A verb with an action, with all its arguments and flags. */
export interface LoadedVerb {
  /** For example `start` or `leads list`. */
  readonly name: string
  readonly command: Command
}

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

const shellNames = Object.keys(shells) as (keyof typeof shells)[]

/** Creates the verb `completions`, given all verbs. */
export const completions = (everyVerb: () => Promise<readonly LoadedVerb[]>): Describe =>
  localVerb({
    takes: { shell: oneOf(argument('<shell>', 'the shell that runs it'), shellNames) },
    examples: [
      'bash > ~/.local/share/bash-completion/completions/lead-sandbox',
      'zsh >> ~/.zshrc',
      'fish > ~/.config/fish/completions/lead-sandbox.fish',
    ],
    call: async ({ shell }) => console.log(shells[shell](await everyVerb())),
  })

/** Groups the verbs by their first word, with the possible second words. */
function wordsOf(verbs: readonly LoadedVerb[]): Map<string, string[]> {
  const words = new Map<string, string[]>()
  for (const { name } of verbs) {
    const [first = '', second] = name.split(' ')
    words.set(first, [...(words.get(first) ?? []), ...(second === undefined ? [] : [second])])
  }
  return words
}

const flagsOf = ({ command }: LoadedVerb) => [...command.options.flatMap(({ long }) => long ?? []), '--help']

/** The known values of flags, by `verb --flag`. */
const choicesOf = ({ name, command }: LoadedVerb) =>
  command.options.flatMap(({ long = '', argChoices }) => (argChoices ? [[`${name} ${long}`, argChoices] as const] : []))

function bashScript(verbs: readonly LoadedVerb[]): string {
  const words = wordsOf(verbs)
  const cases = (entries: readonly (readonly [string, readonly string[]])[]) =>
    entries.map(([pattern, values]) => `    '${pattern}') words='${values.join(' ')}' ;;`).join('\n')
  const groups = [...words].filter(([, seconds]) => seconds.length > 0)
  return `# Completes lead-sandbox in bash.
_lead_sandbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" verb="\${COMP_WORDS[1]}" words=''
  case "$verb" in
    ${groups.map(([first]) => first).join(' | ')}) verb="$verb \${COMP_WORDS[2]}" ;;
  esac
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    '1 '*) words='${[...words.keys()].join(' ')}' ;;
${cases(groups.map(([first, seconds]) => [`2 ${first}`, seconds]))}
    *) case "$verb \${COMP_WORDS[COMP_CWORD - 1]}" in
${cases(verbs.flatMap(choicesOf))}
    *) case "$verb" in
${cases(verbs.map(verb => [verb.name, flagsOf(verb)]))}
    esac ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _lead_sandbox lead-sandbox`
}

function zshScript(verbs: readonly LoadedVerb[]): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(verbs)}`
}

function fishScript(verbs: readonly LoadedVerb[]): string {
  const words = wordsOf(verbs)
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const add = (condition: string, ...rest: readonly string[]) =>
    `complete -c lead-sandbox -n ${quoted(condition)} ${rest.join(' ')}`
  const seen = (name: string) =>
    name
      .split(' ')
      .map(word => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
  const lines = [...words].flatMap(([first, seconds]) => [
    add('__fish_use_subcommand', '-f', '-a', first),
    ...(seconds.length === 0
      ? []
      : [
          add(
            `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`,
            '-f',
            '-a',
            quoted(seconds.join(' ')),
          ),
        ]),
  ])
  const flags = verbs.flatMap(({ name, command }) =>
    command.options.map(({ long = '', description, argChoices, required }) =>
      add(
        seen(name),
        '-l',
        long.slice(2),
        ...(argChoices ? ['-xa', quoted(argChoices.join(' '))] : required ? ['-r'] : []),
        '-d',
        quoted(description),
      ),
    ),
  )
  return ['# Completes lead-sandbox in fish.', ...lines, ...flags].join('\n')
}
