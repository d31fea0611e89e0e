import { styleText } from 'node:util'
import { Command, CommanderError, type ErrorOptions, type Option } from 'commander'
import { version } from '../package-files.ts'
import type { LoadedVerb } from './completions.ts'
import { exitCodes } from './exit-codes.ts'

/** The command line. Verbs are loaded when they are called. Its help lists those of a first day, or `all`. */
function createProgram({ all = false } = {}): Command {
  const program = new VerbCommand('lead-sandbox')
    .description('A lead distribution service to test against: real rules, real state, no real advertisers.')
    .version(version, '--version', 'print the version')
    .showHelpAfterError('(add --help for a list)')
    .exitOverride()
    // Commander takes the style off again where the stream shows no colours.
    .configureHelp({
      styleTitle: text => styleText('bold', text, { validateStream: false }),
      visibleCommands: ({ parent, commands }) =>
        parent || all ? [...commands] : commands.filter(command => firstDay.has(command.name())),
    })
    .addHelpText('after', all ? exitCodesHelp : `${firstRound}\n${exitCodesHelp}`)
    .helpCommand(false)
  for (const { name, summary, group } of verbs)
    program
      .command(name)
      .description(summary)
      .helpGroup(all ? group : 'The verbs of a first day:')
      .helpCommand(false)
  return program.hook('preSubcommand', async (_program, command) => {
    await loadVerb(command)
  })
}

/** Gives a command of the command line all that it has: arguments, flags, subcommands, action. */
async function loadVerb(command: Command): Promise<void> {
  const describe = await verbs.find(({ name }) => name === command.name())?.load()
  describe?.(command)
}

/** Loads every verb of the command line that does something. */
export async function everyVerb(): Promise<readonly LoadedVerb[]> {
  const program = createProgram({ all: true })
  for (const command of program.commands) await loadVerb(command)
  return program.commands.flatMap(command =>
    command.commands.length === 0
      ? [{ name: command.name(), command }]
      : command.commands.map(each => ({ name: `${command.name()} ${each.name()}`, command: each })),
  )
}

/** Runs the command line; resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      if (isUnknownVerb(error)) await suggestVerb(args[0] === 'help' ? args.slice(1) : args)
      return exitCodes.usage
    }
    const { exitCodeOf, messageOf } = await import('./connection.ts')
    console.error(messageOf(error))
    return exitCodeOf(error)
  }
}

/** Returns true if a verb is unknown; one after a verb that has a default is an argument too many. */
function isUnknownVerb({ code }: CommanderError): boolean {
  return code === 'commander.unknownCommand' || code === 'commander.excessArguments'
}

async function suggestVerb(args: readonly string[]): Promise<void> {
  const { verbMeant } = await import('./help.ts')
  const verbs = (await everyVerb()).map(({ name }) => name)
  const meant = verbMeant(args, verbs)
  if (meant !== undefined && meant !== args.slice(0, meant.split(' ').length).join(' '))
    console.error(`Did you mean \`${meant}\`?`)
}

const firstRound = `
Every other verb: lead-sandbox help --all

A first round:
  $ lead-sandbox start
  $ lead-sandbox submit
  $ lead-sandbox explain LEAD_ID
  $ lead-sandbox trigger approved --lead LEAD_ID
  $ lead-sandbox callbacks list`

const exitCodesHelp = `
Each flag has a variable too, which its help names; the flag wins.

It ends with 0 when done, 1 when refused or failed, 2 on wrong usage.`

/** Gives a command its arguments, flags, subcommands, examples and action. */
export type Describe = (command: Command) => void

/** A verb of the command line, before its module is loaded. */
export interface Verb {
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** Its heading in the help. */
  readonly group: string
  /** Loads the rest: `start` loads no tables, the others no server. */
  readonly load: () => Promise<Describe>
}

const first = 'Start:'
const send = 'Send leads and report on them:'
const see = 'See what happened and why:'
const controlGroup = 'Control time, faults and settings:'
const apart = 'Isolate tests:'
const check = 'Check an integration:'

const helpGroup = 'Help:'

/** The verbs that the first help shows. */
const firstDay: ReadonlySet<string> = new Set([
  'start',
  'env',
  'submit',
  'explain',
  'trigger',
  'callbacks',
  'logs',
  'clock',
  'faults',
  'reset',
])

/** Every verb, in the order in which a newcomer needs them. */
const verbs: readonly Verb[] = [
  {
    name: 'start',
    summary: 'Run a sandbox server until it is stopped.',
    group: first,
    load: async () => (await import('./start.ts')).describeStart,
  },
  {
    name: 'init',
    summary: 'Write a configuration file to start a sandbox with.',
    group: first,
    load: async () => (await import('./init.ts')).describeInit,
  },
  {
    name: 'env',
    summary: 'Print the variables that an application needs: base URL, key and ids.',
    group: first,
    load: async () => (await import('./env.ts')).describeEnv,
  },
  {
    name: 'submit',
    summary: 'Submit a lead, as the publisher.',
    group: send,
    load: async () => (await import('./submit.ts')).describeSubmit,
  },
  {
    name: 'trigger',
    summary: 'Report an event of a lead, as its advertiser.',
    group: send,
    load: async () => (await import('./postbacks.ts')).describeTrigger,
  },
  {
    name: 'explain',
    summary: 'Explain the decision on a lead, or on a submission without submitting it.',
    group: see,
    load: async () => (await import('./leads.ts')).describeExplain,
  },
  {
    name: 'leads',
    summary: 'List leads, show one, explain its decision, or make a file that reproduces it.',
    group: see,
    load: async () => (await import('./leads.ts')).describeLeads,
  },
  {
    name: 'repro',
    summary: 'Make the decision of a repro file again, without a sandbox.',
    group: see,
    load: async () => (await import('./repro.ts')).describeRepro,
  },
  {
    name: 'callbacks',
    summary: 'Follow the callbacks to the publisher, wait for one, resend them.',
    group: see,
    load: async () => (await import('./callbacks.ts')).describeCallbacks,
  },
  {
    name: 'listen',
    summary: 'Forward the callbacks of a sandbox to a receiver on this machine.',
    group: see,
    load: async () => (await import('./listen.ts')).describeListen,
  },
  {
    name: 'inbox',
    summary: 'Show what the built-in callback receiver received, or make it fail.',
    group: see,
    load: async () => (await import('./callbacks.ts')).describeInbox,
  },
  {
    name: 'logs',
    summary: 'Follow the calls of the service, with each decision, or show one with its content.',
    group: see,
    load: async () => (await import('./logs.ts')).describeLogs,
  },
  {
    name: 'clock',
    summary: "Freeze a tenant's clock, set it, advance it, resume it.",
    group: controlGroup,
    load: async () => (await import('./clock.ts')).describeClock,
  },
  {
    name: 'faults',
    summary: 'Make calls of the service or callbacks fail.',
    group: controlGroup,
    load: async () => (await import('./faults.ts')).describeFaults,
  },
  {
    name: 'settings',
    summary: 'Show or change how a tenant interprets the open points of the specification.',
    group: controlGroup,
    load: async () => (await import('./tenants.ts')).describeSettings,
  },
  {
    name: 'tenants',
    summary: 'Create, list, show, change and delete tenants: isolated accounts.',
    group: apart,
    load: async () => (await import('./tenants.ts')).describeTenants,
  },
  {
    name: 'tokens',
    summary: 'Create, list and revoke tokens that open one tenant of a shared sandbox.',
    group: apart,
    load: async () => (await import('./access.ts')).describeTokens,
  },
  {
    name: 'hosts',
    summary: "Allow, list and remove hosts that a tenant's callbacks may go to.",
    group: apart,
    load: async () => (await import('./access.ts')).describeHosts,
  },
  {
    name: 'snapshot',
    summary: 'Save a whole tenant under a name, restore it, or export it to a file.',
    group: apart,
    load: async () => (await import('./snapshot.ts')).describeSnapshot,
  },
  {
    name: 'reset',
    summary: 'Reset a tenant to its initial state. Ids, keys, settings and callback URL stay.',
    group: apart,
    load: async () => (await import('./tenants.ts')).describeReset,
  },
  {
    name: 'coverage',
    summary: 'Show which outcomes, reasons, errors and events were seen, and how to see the others.',
    group: check,
    load: async () => (await import('./coverage.ts')).describeCoverage,
  },
  {
    name: 'diagnose',
    summary: 'Diagnose a postback URL, check by check.',
    group: check,
    load: async () => (await import('./postbacks.ts')).describeDiagnose,
  },
  {
    name: 'certify',
    summary: "Test a publisher's or an advertiser's application against the failures that break integrations.",
    group: check,
    load: async () => (await import('../certify/certify.ts')).describeCertify,
  },
  {
    name: 'completions',
    summary: 'Print a script that completes verbs and flags in bash, zsh or fish.',
    group: helpGroup,
    async load() {
      const { describeCompletions } = await import('./completions.ts')
      return command => describeCompletions(command, everyVerb)
    },
  },
  {
    name: 'help',
    summary: 'Show the help of a verb, or list every verb.',
    group: helpGroup,
    async load() {
      const { describeHelp } = await import('./help.ts')
      return command => describeHelp(command, createProgram, everyVerb)
    },
  },
]

const prefix = 'LEAD_SANDBOX'

/**
 * A command whose flags can all be given by the environment: by the variable that a flag names, or else by `LEAD_SANDBOX_`,
 * the verb except `start`, and the flag. A flag that is given wins.
 */
class VerbCommand extends Command {
  override createCommand(name?: string): Command {
    return new VerbCommand(name)
  }

  override addOption(option: Option): this {
    const name = option.envVar ?? this.#variableOf(option)
    // Commander takes whatever is there for the flag.
    if (isUsable(option, process.env[name])) option.env(name)
    else delete option.envVar
    return super.addOption(option)
  }

  override error(message: string, options?: ErrorOptions): never {
    // Commander looks for a similar verb only among its neighbors.
    const [unknown = message] = message.split('\n', 1)
    return super.error(options?.code === 'commander.unknownCommand' ? unknown : message, options)
  }

  #variableOf(option: Option): string {
    const verb: string[] = []
    for (let command: Command = this; command.parent !== null; command = command.parent) verb.unshift(command.name())
    const named = verb[0] === 'start' ? [] : verb
    return [prefix, ...named, option.name()].join('_').replaceAll('-', '_').toUpperCase()
  }
}

/** An empty variable is none, and one that switches a flag without value off says what is so without it. */
function isUsable(option: Option, value: string | undefined): boolean {
  const hasValue = option.required || option.optional
  return value === undefined || !(value === '' || (!hasValue && ['0', 'false'].includes(value)))
}
