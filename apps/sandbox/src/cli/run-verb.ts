import { basePath } from '@lead-distribution/contract'
import type { ControlClient, TenantControl } from '@lead-distribution/control-client'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import { type Command, InvalidArgumentError } from 'commander'
import { CommandError } from './exit-codes.ts'
import { type AllTaken, addTaken, byDefault, flag, fromVariable, type InputOf, inputOf, onOff, under } from './flags.ts'

/** The tenant and the sandbox on which a verb operates. */
export interface Session {
  /** The control plane of the tenant given by --tenant. */
  readonly tenant: TenantControl
  readonly sandbox: ControlClient
  /** The sandbox's URL, including the path where it is mounted. */
  readonly url: string
  readonly json: boolean
  /** Prints a value: as JSON with --json, otherwise as text. */
  print<Value>(value: Value, textOf: (value: Value) => string): void
}

/** The help of a verb, and the flags and arguments that it accepts. */
interface Described<All> {
  /** Default: the verb's summary. */
  readonly does?: string
  readonly takes?: All
  /** Help text shown above the examples. */
  readonly notes?: string
  /** The arguments and flags of examples. Default: a single example without any. */
  readonly examples?: readonly string[]
}

/** A verb on a running sandbox: the operation that it calls, and how the reply is printed. */
interface Verb<All, Reply> extends Described<All> {
  /** The text next to a spinner, for a call that may take long. */
  readonly progress?: string
  /** Calls the control plane. */
  readonly call: (session: Session, input: InputOf<All>) => Promise<Reply>
  /** Formats the reply for people. If missing, the call prints its own output. */
  readonly text?: (reply: Reply, input: InputOf<All>, session: Session) => string
  /** Returns the reason why the verb fails even though it got a reply. */
  readonly failure?: (reply: Reply, input: InputOf<All>) => string | undefined
}

/** The flags shared by all verbs on a running sandbox. */
const connectionFlags = under('Target and output:', {
  sandbox: fromVariable(
    'LEAD_SANDBOX_URL',
    // Includes the path where the sandbox is mounted.
    byDefault(flag('<url>', 'the URL of the sandbox', parseAddress), 'http://127.0.0.1:4010'),
  ),
  tenant: fromVariable('LEAD_SANDBOX_TENANT', byDefault(flag('<name>', 'the tenant to work on'), 'demo')),
  adminToken: fromVariable(
    'LEAD_SANDBOX_ADMIN_TOKEN',
    flag('<token>', 'the admin token or a token of the tenant; required by a sandbox on a network'),
  ),
  json: fromVariable('LEAD_SANDBOX_JSON', onOff("print the control plane's JSON")),
})

/** Configures a command from its declaration. */
export type Describe = (command: Command) => void

/** Creates a verb on a running sandbox from its declaration. */
export function verb<All extends AllTaken = Record<never, never>, Reply = unknown>(row: Verb<All, Reply>): Describe {
  const { progress, call, text, failure } = row
  const run = async (input: InputOf<All>, command: Command) => {
    const session = await openSession(inputOf(command, connectionFlags))
    const work = () => call(session, input)
    // Loaded here, because a server starts without tables and spinners.
    const { withProgress } = await import('./printing.ts')
    const reply = await (progress === undefined ? work() : withProgress(progress, work))
    if (text) session.print(reply, () => text(reply, input, session))
    const failed = failure?.(reply, input)
    if (failed !== undefined) throw new CommandError(failed)
  }
  return command => describe(command, row, run, connectionFlags)
}

/** Creates a verb that needs no running sandbox. */
export function localVerb<All extends AllTaken = Record<never, never>>(
  row: Described<All> & { readonly call: (input: InputOf<All>) => Promise<void> },
): Describe {
  return command => describe(command, row, row.call)
}

function describe<All extends AllTaken>(
  command: Command,
  { does, takes = {} as All, notes, examples = [''] }: Described<All>,
  run: (input: InputOf<All>, command: Command) => Promise<void>,
  moreFlags: AllTaken = {},
): void {
  if (does !== undefined) command.description(does)
  addTaken(command, { ...takes, ...moreFlags })
  const name = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
  const lines = examples.map(example => `  $ lead-sandbox ${name} ${example}`.trimEnd())
  const head = lines.length === 1 ? 'Example:' : 'Examples:'
  command
    .addHelpText('after', [...(notes === undefined ? [] : ['', notes]), '', head, ...lines].join('\n'))
    .action(() => run(inputOf(command, takes), command))
}

/** Creates the verbs of a group, such as `leads`; one of them may be the default. */
export function group(verbs: Readonly<Record<string, Describe>>, byDefault?: string): Describe {
  return command => {
    for (const [name, describe] of Object.entries(verbs))
      describe(command.command(name, { isDefault: name === byDefault }))
  }
}

async function openSession(flags: InputOf<typeof connectionFlags>): Promise<Session> {
  const { sandbox: url, tenant, adminToken, json = false } = flags
  // Loaded here, because printing help calls no sandbox.
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

const ownPath = new RegExp(`(?:${basePath}|${sandboxPath})(?:/|$)`)

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Pass the URL of the sandbox, such as http://127.0.0.1:4010.')
  // The service's base URL and the console's URL are accepted too.
  const [mountPath = ''] = url.pathname.split(ownPath, 1)
  return `${url.origin}${mountPath.replace(/\/+$/, '')}`
}

/** Returns the lead given by its lead_id, or the newest lead of a customer's address. */
export async function leadIdOf(tenant: TenantControl, named: string): Promise<string> {
  if (!named.includes('@')) return named
  const [lead] = (await tenant.leads.list({ email: named, limit: 1 })).leads
  if (lead) return lead.lead_id
  throw new CommandError(
    'No stored lead has this address. Find the request with lead-sandbox logs tail, and explain it by its id, such as r42.',
  )
}
