import { basePath } from '@lead-distribution/contract'
import type { ControlClient, TenantControl } from '@lead-distribution/control-client'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError } from './exit-codes.ts'

interface ConnectionFlags {
  /** Its URL, with the path that it is mounted at. */
  readonly sandbox: string
  readonly tenant: string
  readonly adminToken?: string
  readonly json?: boolean
}

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

export type Run<Flags, Arguments extends readonly unknown[]> = (
  session: Session,
  flags: Flags,
  ...args: Arguments
) => Promise<void>

/** Completes a verb that works on a running sandbox: the flags that all have, its examples, and what it does. */
export function sandboxVerb<Flags, Arguments extends readonly unknown[]>(
  command: Command,
  examples: readonly string[],
  run: Run<Flags, Arguments>,
): void {
  const lines = examples.map(example => `  $ lead-sandbox ${example}`)
  addConnectionFlags(command)
    .addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n'))
    .action(async () => {
      const { sandbox: url, tenant, adminToken, json = false, ...flags } = command.opts<ConnectionFlags>()
      // Loaded here: a help calls no sandbox.
      const { createClient } = await import('./connection.ts')
      const sandbox = createClient(url, adminToken)
      const session: Session = {
        tenant: sandbox.control(tenant),
        sandbox,
        url,
        json,
        print: (value, textOf) => console.log(json ? JSON.stringify(value) : textOf(value)),
      }
      await run(session, flags as Flags, ...(command.processedArgs as unknown as Arguments))
    })
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
