import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ProfileName } from '../../certify/check.ts'
import { parseHost, parseOrigin, parsePort, parseSeed } from '../server-values.ts'

/** The flags of every certification. */
export interface CertifyFlags {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string
  readonly seed?: number
  readonly allowCallbackHost: readonly string[]
  readonly only: readonly string[]
  readonly profile?: ProfileName
  readonly application?: string
  readonly requireAll?: boolean
  readonly json?: boolean
  readonly junit?: string
  readonly markdown?: string
  readonly env?: boolean
  /** Milliseconds. */
  readonly commandTimeout: number
}

/** Adds the flags that both certifications have. `ids` are those of their checks. */
export function addCertifyFlags(command: Command, ids: readonly string[]): Command {
  return command
    .option('--env', 'print the environment to start the application with, and end')
    .addOption(
      new Option('--command-timeout <seconds>', 'how long a command may take')
        .default(60_000, '60')
        .argParser(parseSeconds),
    )
    .optionsGroup('Which checks:')
    .addOption(
      new Option('--only <id>', 'run only this check; may be given again')
        .default([], 'all')
        .argParser((id: string, chosen: string[]) => [...chosen, parseId(id, ids)]),
    )
    .addOption(new Option('--profile <name>', 'run only this profile').choices(['prose', 'formal']))
    .option('--require-all', 'end with 1 where a check was not seen')
    .optionsGroup('The sandbox that runs them:')
    .addOption(new Option('--host <host>', 'the address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 takes a free one').default(4010).argParser(parsePort),
    )
    .addOption(
      new Option('--public-url <url>', 'where the application reaches it, if elsewhere').argParser(parseOrigin),
    )
    .addOption(
      new Option('--seed <number>', 'make the keys of a sandbox on a network the same each time').argParser(parseSeed),
    )
    .addOption(
      new Option('--allow-callback-host <host>', 'let callbacks go to this host too; may be given again')
        .default([], 'only this machine')
        .argParser((host: string, hosts: string[]) => [...hosts, parseHost(host)]),
    )
    .optionsGroup('What it prints:')
    .option('--application <name>', 'what the report calls the application: shop 2.4.1')
    .option('--json', 'print the report as JSON, for scripts')
    .option('--junit <file>', 'also write it as a JUnit document, for build servers')
    .option('--markdown <file>', 'also write it as Markdown, for the mail that asks to go live')
}

function parseId(id: string, ids: readonly string[]): string {
  if (ids.includes(id)) return id
  throw new InvalidArgumentError(`There is no check of this id. There are ${ids.join(', ')}.`)
}

/** Seconds, as milliseconds. */
export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds === 0 || seconds > 600)
    throw new InvalidArgumentError('Give seconds, from above 0 to 600.')
  return seconds * 1000
}
