import { basePath } from '@lead-distribution/contract'
import type { ControlClient, TenantControl } from '@lead-distribution/control-client'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError } from './exit-codes.ts'
import { withProgress } from './printing.ts'

/**
 * A flag or an argument of a verb, under its name in camelCase: `noFill` is `--no-fill`. A verb gets a `Value`, which
 * includes undefined if it may be left out.
 */
export interface Taken<Value> {
  /** The value in the help, such as `<id>`. Without it, the flag is on or off. */
  readonly value?: string
  readonly about?: string | undefined
  /** Reads the text of a value; adds it to the value before if the flag is repeatable. */
  readonly parse?: ((text: string, before: never) => Value) | undefined
  readonly choices?: readonly string[]
  readonly byDefault?: Value
  /** The default in words. */
  readonly defaultText?: string | undefined
  readonly isArgument?: boolean
  readonly isRequired?: boolean
  /** The heading in the help, of this one and those that follow. */
  readonly heading?: string
  /** The flag that excludes this one. */
  readonly conflicts?: string
}

/** A flag with a value: its text, or what `parse` reads there. */
export function flag<Value = string>(
  value: string,
  about: string,
  parse?: (text: string, before?: Value) => Value,
): Taken<NoInfer<Value> | undefined> {
  return { value, about, parse }
}

/** A flag that is on or off. */
export function onOff(about: string): Taken<boolean | undefined> {
  return { about }
}

/** An argument: `<id>` is required, `[id]` may be left out; its text, the texts of `[id...]`, or what `parse` reads there. */
export function argument<const Form extends string, Value = Form extends `${string}...${string}` ? string[] : string>(
  value: Form,
  about?: string,
  parse?: (text: string, before?: Value) => Value,
): Taken<Form extends `<${string}` ? NoInfer<Value> : NoInfer<Value> | undefined> {
  return { value, about, parse, isArgument: true } as ReturnType<typeof argument<Form, Value>>
}

/** A flag or an argument that takes one of these words. */
export function oneOf<Value extends string | undefined, const Choice extends string>(
  { value = '', about, isArgument = false }: Taken<Value>,
  choices: readonly Choice[],
): Taken<Choice | Extract<Value, undefined>> {
  return { value, about, isArgument, choices }
}

/** A flag that must be given. */
export function required<Value>(taken: Taken<Value | undefined>): Taken<Value> {
  return { ...(taken as Taken<Value>), isRequired: true }
}

/** A flag with a value where it is not given. */
export function byDefault<Value>(taken: Taken<Value | undefined>, value: Value, text?: string): Taken<Value> {
  return { ...(taken as Taken<Value>), byDefault: value, defaultText: text }
}

/** A flag that cannot be given together with another one. */
export function excluding<Value>(conflicts: string, taken: Taken<Value>): Taken<Value> {
  return { ...taken, conflicts }
}

/** Flags under a heading of their own in the help. */
export function under<All extends AllTaken>(heading: string, flags: All): All {
  const [[first, taken] = ['']] = Object.entries(flags)
  return taken ? { ...flags, [first]: { ...taken, heading } } : flags
}

/** The names that a verb gets: `fill` from `--no-fill`, true unless that is given. */
type Received<Name> = Name extends `no${infer Rest}`
  ? Rest extends Capitalize<Rest>
    ? Uncapitalize<Rest>
    : Name
  : Name

/** Everything that a verb gets, by name. */
export type InputOf<All> = {
  readonly [Name in keyof All as Received<Name>]: All[Name] extends Taken<infer Value> ? Value : never
}

/** The tenant and the sandbox that a verb works on. */
export interface Session {
  /** The control plane of the tenant that --tenant names. */
  readonly tenant: TenantControl
  readonly sandbox: ControlClient
  /** The URL of the sandbox, with the path that it is mounted at. */
  readonly url: string
  readonly json: boolean
  /** Prints a value: as JSON where that was asked for, else as text. */
  print<Value>(value: Value, textOf: (value: Value) => string): void
}

/** The help of a verb, and what it takes. */
interface Described<All> {
  /** Default: the summary in the list of verbs. */
  readonly does?: string
  readonly takes?: All
  /** A text of the help above the examples. */
  readonly notes?: string
  /** Arguments and flags of examples. Default: one without any. */
  readonly examples?: readonly string[]
}

/** A verb on a running sandbox: the operation that it calls, and how it prints the reply. */
interface Verb<All, Reply> extends Described<All> {
  /** The text beside a spinner, if the call may take long. */
  readonly progress?: string
  /** Calls the control plane. */
  readonly call: (session: Session, input: InputOf<All>) => Promise<Reply>
  /** Formats the reply for people. Without it, the call prints by itself. */
  readonly text?: (reply: Reply, input: InputOf<All>, session: Session) => string
  /** Returns the reason why the verb fails although it got its reply. */
  readonly failure?: (reply: Reply, input: InputOf<All>) => string | undefined
}

type AllTaken = Readonly<Record<string, Taken<unknown>>>

/** Gives a command all that its row says. */
export type Describe = (command: Command) => void

/** Makes a verb on a running sandbox from its row. */
export function verb<All extends AllTaken = Record<never, never>, Reply = unknown>(row: Verb<All, Reply>): Describe {
  const { progress, call, text, failure } = row
  const run = async (input: InputOf<All>, command: Command) => {
    const session = await openSession(command.opts())
    const work = () => call(session, input)
    const reply = await (progress === undefined ? work() : withProgress(progress, work))
    if (text) session.print(reply, () => text(reply, input, session))
    const failed = failure?.(reply, input)
    if (failed !== undefined) throw new CommandError(failed)
  }
  return command => describe(command, row, run, addConnectionFlags)
}

/** Makes a verb that needs no running sandbox. */
export function localVerb<All extends AllTaken = Record<never, never>>(
  row: Described<All> & { readonly call: (input: InputOf<All>) => Promise<void> },
): Describe {
  return command => describe(command, row, row.call)
}

function describe<All extends AllTaken>(
  command: Command,
  { does, takes, notes, examples = [''] }: Described<All>,
  run: (input: InputOf<All>, command: Command) => Promise<void>,
  addFlags?: (command: Command) => void,
): void {
  if (does !== undefined) command.description(does)
  addTaken(command, takes ?? {})
  addFlags?.(command)
  const name = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
  const lines = examples.map(example => `  $ lead-sandbox ${name} ${example}`.trimEnd())
  const head = lines.length === 1 ? 'Example:' : 'Examples:'
  command
    .addHelpText('after', [...(notes === undefined ? [] : ['', notes]), '', head, ...lines].join('\n'))
    .action(() => run(inputOf(command, takes ?? {}) as InputOf<All>, command))
}

/** Makes the verbs below a word, such as `leads`; one of them may be the default. */
export function group(verbs: Readonly<Record<string, Describe>>, byDefault?: string): Describe {
  return command => {
    for (const [name, describe] of Object.entries(verbs))
      describe(command.command(name, { isDefault: name === byDefault }))
  }
}

function addTaken(command: Command, takes: AllTaken): void {
  for (const [name, taken] of Object.entries(takes)) {
    const { value, about, parse, choices, isArgument, isRequired, heading, conflicts } = taken
    const read = parse as ((text: string, before: unknown) => unknown) | undefined
    if (heading !== undefined) command.optionsGroup(heading)
    if (isArgument) {
      const argument = new Argument(value ?? '', about)
      if (read) argument.argParser(read)
      if (choices) argument.choices(choices)
      if ('byDefault' in taken) argument.default(taken.byDefault, taken.defaultText)
      command.addArgument(argument)
      continue
    }
    const long = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
    const option = new Option(value === undefined ? long : `${long} ${value}`, about)
    if (read) option.argParser(read)
    if (choices) option.choices(choices)
    if ('byDefault' in taken) option.default(taken.byDefault, taken.defaultText)
    if (isRequired) option.makeOptionMandatory()
    if (conflicts !== undefined) option.conflicts(conflicts)
    command.addOption(option)
  }
}

/** Returns the flags and the arguments that a command was called with, by name. */
function inputOf(command: Command, takes: AllTaken): object {
  const flags = command.opts()
  const values = [...command.processedArgs]
  return Object.fromEntries(
    Object.entries(takes).map(([name, { isArgument }]) => {
      const received = name.replace(/^no([A-Z])/, (_, letter: string) => letter.toLowerCase())
      return isArgument ? [name, values.shift()] : [received, flags[received]]
    }),
  )
}

interface ConnectionFlags {
  /** Its URL, with the path that it is mounted at. */
  readonly sandbox: string
  readonly tenant: string
  readonly adminToken?: string
  readonly json?: boolean
}

async function openSession({ sandbox: url, tenant, adminToken, json = false }: ConnectionFlags): Promise<Session> {
  // Loaded here: a help calls no sandbox.
  const { createClient } = await import('./connection.ts')
  const sandbox = createClient(url, adminToken)
  return {
    tenant: sandbox.control(tenant),
    sandbox,
    url,
    json,
    print: (value, textOf) => console.log(json ? JSON.stringify(value) : textOf(value)),
  }
}

function addConnectionFlags(command: Command): Command {
  return command
    .optionsGroup('Target and output:')
    .addOption(
      new Option('--sandbox <url>', 'the URL of the sandbox')
        .default('http://127.0.0.1:4010')
        .env('LEAD_SANDBOX_URL')
        .argParser(parseAddress),
    )
    .addOption(new Option('--tenant <name>', 'the tenant to work on').default('demo').env('LEAD_SANDBOX_TENANT'))
    .addOption(
      new Option(
        '--admin-token <token>',
        'the admin token or a token of the tenant; required by a sandbox on a network',
      ).env('LEAD_SANDBOX_ADMIN_TOKEN'),
    )
    .addOption(new Option('--json', "print the control plane's JSON").env('LEAD_SANDBOX_JSON'))
}

const ownPath = new RegExp(`(?:${basePath}|${sandboxPath})(?:/|$)`)

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Pass the URL of the sandbox, such as http://127.0.0.1:4010.')
  // The base URL of its service and the address of its console name it, too.
  const [mountPath = ''] = url.pathname.split(ownPath, 1)
  return `${url.origin}${mountPath.replace(/\/+$/, '')}`
}

/** The lead that a person names: by its lead_id, or as the newest of a customer's address. */
export async function leadIdOf(tenant: TenantControl, named: string): Promise<string> {
  if (!named.includes('@')) return named
  const [lead] = (await tenant.leads.list({ email: named, limit: 1 })).leads
  if (lead) return lead.lead_id
  throw new CommandError(
    'No lead with this address is stored. Find the call with lead-sandbox logs tail, and explain it by its id, such as r42.',
  )
}
