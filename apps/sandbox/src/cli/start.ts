import { type Command, InvalidArgumentError, Option } from 'commander'
import { logLevels } from '../log.ts'
import { RefusedStart } from '../open-sandbox.ts'
import { type SandboxServer, type ServerOptions, startServer } from '../server.ts'
import { CommandFault, exitCodes } from './exit-codes.ts'
import { readyJson, readyText } from './ready.ts'
import { stopSignal } from './stop-signal.ts'
import { parseHost, parseOrigin, parsePort, parseSeed } from './values/server-values.ts'

type Flags = ServerOptions & { allowCallbackHost: string[]; json?: boolean; stopWithParent: boolean }

/** `lead-sandbox start`: runs a sandbox server until it is told to stop. */
export function describeStart(command: Command): void {
  command
    .addOption(new Option('--host <host>', 'the address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 takes a free one').default(4010).argParser(parsePort),
    )
    .addOption(new Option('--data <where>', 'a SQLite file, or memory').default('memory').env('LEAD_SANDBOX_DATA'))
    .addOption(
      new Option('--seed <number>', 'make all that is drawn by chance the same each time').argParser(parseSeed),
    )
    .addOption(
      new Option('--profile <name>', 'how what the specification leaves open is read').choices(['prose', 'formal']),
    )
    .addOption(
      new Option('--allow-callback-host <host>', 'let callbacks go to this host too; may be given again')
        .default([], 'this machine alone')
        .argParser((host: string, hosts: string[]) => [...hosts, parseHost(host)]),
    )
    .addOption(
      new Option('--admin-token <token>', 'what the control plane asks for; needed off this machine').env(
        'LEAD_SANDBOX_ADMIN_TOKEN',
      ),
    )
    .addOption(new Option('--public-url <url>', 'where others reach this server, if elsewhere').argParser(parseOrigin))
    .addOption(
      new Option('--journal-limit <number>', 'how many calls the journal of each tenant keeps')
        .default(10_000)
        .argParser(parseJournalLimit),
    )
    .addOption(new Option('--log-level <level>', 'how much to log on stderr').choices(logLevels).default('info'))
    .addOption(
      new Option('--stop-with-parent', 'stop when the process that started this one ends').default(
        process.env.npm_lifecycle_event === 'npx',
        'only by npx',
      ),
    )
    .option('--json', 'print one line of JSON when ready')
    .addHelpText('after', examples)
    .action(start)
}

const examples = `
Examples:
  $ lead-sandbox start --port 4020 --data sandbox.db
  $ lead-sandbox start --host 0.0.0.0 --admin-token TOKEN`

async function start({ allowCallbackHost, json, stopWithParent, ...options }: Flags): Promise<void> {
  const stopped = stopSignal(stopWithParent)
  const server = await startServer({ ...options, allowedCallbackHosts: allowCallbackHost }).catch(asWrongUsage)
  console.log(json ? readyJson(server) : await readyText(server))
  await stopped
  await stop(server, json === true)
}

/** A start that the flags do not allow is wrong usage; its message says which flag to change. */
export function asWrongUsage(fault: unknown): never {
  throw fault instanceof RefusedStart ? new CommandFault(fault.message, exitCodes.usage) : fault
}

async function stop(server: SandboxServer, quiet: boolean): Promise<void> {
  if (!quiet) console.log('Stopping: replies under way are finished…')
  await server.close()
}

function parseJournalLimit(text: string): number {
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1_000_000)
    throw new InvalidArgumentError('Give a number from 1 to 1000000.')
  return limit
}
