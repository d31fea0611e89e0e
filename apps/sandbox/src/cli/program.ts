import { styleText } from 'node:util'
import { Command, CommanderError, type ErrorOptions, type Option } from 'commander'
import { version } from '../package-files.ts'
import type { LoadedVerb } from './completions.ts'
import { exitCodes } from './exit-codes.ts'
import type { Describe } from './run-verb.ts'

/** Creates the command line. Verbs are loaded when they are called. Its help lists the common verbs, or `all`. */
function createProgram({ all = false } = {}): Command {
  const program = new VerbCommand('lead-sandbox')
    .description('A lead distribution service to test against: real rules, real state, no real advertisers.')
    .version(version, '--version', 'print the version')
    .showHelpAfterError('(add --help for a list)')
    .exitOverride()
    // Commander strips the styles again if the stream shows no colors.
    .configureHelp({
      styleTitle: text => styleText('bold', text, { validateStream: false }),
      visibleCommands: ({ parent, commands }) =>
        parent || all ? [...commands] : commands.filter(command => common.has(command.name())),
    })
    .addHelpText('after', all ? exitCodesHelp : `${firstRound}\n${exitCodesHelp}`)
    .helpCommand(false)
  for (const [group, members] of Object.entries(verbs))
    for (const [name, { summary }] of Object.entries(members))
      program
        .command(name)
        .description(summary)
        .helpGroup(all ? group : 'Common commands:')
        .helpCommand(false)
  return program.hook('preSubcommand', async (_program, command) => {
    await loadVerb(command)
  })
}

/** Completes a command from a loaded one: arguments, flags, subcommands and action. */
async function loadVerb(command: Command): Promise<void> {
  const group = Object.values(verbs).find(members => Object.hasOwn(members, command.name()))
  const describe = await group?.[command.name()]?.load()
  describe?.(command)
}

/** Loads every verb that has an action. */
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

/** Returns true if a verb is unknown. A word after a verb that has a default is an excess argument instead. */
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
All commands: lead-sandbox help --all

A first round:
  $ lead-sandbox start
  $ lead-sandbox submit
  $ lead-sandbox explain LEAD_ID
  $ lead-sandbox trigger approved --lead LEAD_ID
  $ lead-sandbox callbacks list`

const exitCodesHelp = `
Each flag also has an environment variable, named in its help; the flag wins.

Exit codes: 0 ok, 1 failed, 2 usage error.`

/** A verb or a group of the command line, before its module is loaded. */
interface Entry {
  /** One sentence. */
  readonly summary: string
  /** Loads the verb: `start` loads no tables, and the others load no server. */
  readonly load: () => Promise<Describe>
}

/** The verbs in the short help. */
const common: ReadonlySet<string> = new Set([
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

/** Creates the verbs of a module, which exports each under its own name, with their summaries. */
function from<Name extends string>(
  load: () => Promise<Readonly<Record<NoInfer<Name>, Describe>>>,
  summaries: Readonly<Record<Name, string>>,
): Readonly<Record<string, Entry>> {
  const names = Object.keys(summaries) as Name[]
  return Object.fromEntries(
    names.map(name => [name, { summary: summaries[name], load: async () => (await load())[name] }]),
  )
}

const leads = () => import('./verbs/leads.ts')
const callbacks = () => import('./verbs/callbacks.ts')
const postbacks = () => import('./verbs/postbacks.ts')
const tenants = () => import('./verbs/tenants.ts')

/** All verbs by heading in the help, in the order in which a newcomer needs them. */
const verbs: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Start:': {
    ...from(() => import('./start.ts'), { start: 'Run a sandbox server until it is stopped.' }),
    ...from(() => import('./init.ts'), { init: 'Write a configuration file to start a sandbox with.' }),
    ...from(() => import('./env.ts'), {
      env: 'Print the variables that an application needs: base URL, key and ids.',
    }),
  },
  'Send leads and report on them:': {
    ...from(() => import('./submit.ts'), { submit: 'Submit a lead, as the publisher.' }),
    ...from(postbacks, { trigger: 'Report an event of a lead, as its advertiser.' }),
  },
  'See what happened and why:': {
    ...from(leads, {
      explain: 'Explain the decision on a lead, or on a submission without submitting it.',
      leads: 'List leads, show one, explain its decision, or make a file that reproduces it.',
      repro: 'Repeat the decision of a repro file, without a sandbox.',
    }),
    ...from(callbacks, { callbacks: 'Follow the callbacks to the publisher, wait for one, resend them.' }),
    ...from(() => import('./listen.ts'), {
      listen: "Forward a sandbox's callbacks to a receiver on this machine.",
    }),
    ...from(callbacks, { inbox: 'Show what the built-in callback receiver received, or make it fail.' }),
    ...from(() => import('./verbs/logs.ts'), {
      logs: 'Follow requests to the service, with each decision, or show one with its content.',
    }),
  },
  'Control time, faults and settings:': {
    ...from(() => import('./verbs/clock.ts'), { clock: "Freeze a tenant's clock, set it, advance it, resume it." }),
    ...from(() => import('./verbs/faults.ts'), { faults: 'Make requests to the service or callbacks fail.' }),
    ...from(tenants, {
      settings: "Show or change how a tenant interprets the specification's open points.",
    }),
  },
  'Isolate tests:': {
    ...from(tenants, {
      tenants: 'Create, list, show, change and delete tenants: isolated accounts.',
      tokens: 'Create, list and revoke tokens that give access to one tenant of a shared sandbox.',
      hosts: "Allow, list and remove hosts that a tenant's callbacks may go to.",
    }),
    ...from(() => import('./verbs/snapshot.ts'), {
      snapshot: 'Save a whole tenant under a name, restore it, or export it to a file.',
    }),
    ...from(tenants, {
      reset: 'Reset a tenant to its initial state. Ids, keys, settings and callback URL stay.',
    }),
  },
  'Check an integration:': {
    ...from(() => import('./verbs/coverage.ts'), {
      coverage: 'Show which outcomes, reasons, errors and events were seen, and how to see the others.',
    }),
    ...from(postbacks, { diagnose: 'Diagnose a postback URL, check by check.' }),
    ...from(() => import('./certify.ts'), {
      certify: "Test a publisher's or an advertiser's application against the failures that break integrations.",
    }),
  },
  'Help:': {
    completions: {
      summary: 'Print a script that completes verbs and flags in bash, zsh or fish.',
      load: async () => (await import('./completions.ts')).completions(everyVerb),
    },
    help: {
      summary: 'Show the help of a verb, or list every verb.',
      load: async () => (await import('./help.ts')).help(createProgram, everyVerb),
    },
  },
}

const prefix = 'LEAD_SANDBOX'

/**
 * A command whose flags can all be set by environment variables: the variable named by the flag, or else
 * `LEAD_SANDBOX_`, the verb except `start`, and the flag. A flag on the command line wins.
 */
class VerbCommand extends Command {
  override createCommand(name?: string): Command {
    return new VerbCommand(name)
  }

  override addOption(option: Option): this {
    const name = option.envVar ?? this.#variableOf(option)
    // Commander accepts any value of the variable for the flag.
    if (isUsable(option, process.env[name])) option.env(name)
    else delete option.envVar
    return super.addOption(option)
  }

  override error(message: string, options?: ErrorOptions): never {
    // Commander suggests only similar verbs of the same command.
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

/** An empty variable is ignored, and one that turns off a boolean flag restores the default. */
function isUsable(option: Option, value: string | undefined): boolean {
  const hasValue = option.required || option.optional
  return value === undefined || !(value === '' || (!hasValue && ['0', 'false'].includes(value)))
}
