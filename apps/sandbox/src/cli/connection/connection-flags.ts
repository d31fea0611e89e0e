import { type Command, InvalidArgumentError, Option } from 'commander'

/** Which sandbox a verb works on, and how it prints. */
export interface ConnectionFlags {
  /** Scheme, host and port. */
  readonly sandbox: string
  readonly tenant: string
  readonly adminToken?: string
  readonly json?: boolean
}

/** Adds the flags that every verb on a running sandbox has. */
export function addConnectionFlags(command: Command): Command {
  return command
    .optionsGroup('Which sandbox, and how to print:')
    .addOption(
      new Option('--sandbox <url>', 'where the sandbox runs')
        .default('http://127.0.0.1:4010')
        .env('LEAD_SANDBOX_URL')
        .argParser(parseOrigin),
    )
    .addOption(new Option('--tenant <name>', 'whose leads these are').default('demo').env('LEAD_SANDBOX_TENANT'))
    .addOption(
      new Option('--admin-token <token>', 'what a sandbox on a network was started with').env(
        'LEAD_SANDBOX_ADMIN_TOKEN',
      ),
    )
    .option('--json', "print the control plane's JSON, for scripts")
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Give where the sandbox runs, such as http://127.0.0.1:4010.')
  return url.origin
}
