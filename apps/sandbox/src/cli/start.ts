import { operatorPaths, referencePath, sandboxPath } from '@lead-distribution/simulator/paths'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createLog, type LogLevel, logLevels } from '../log.ts'
import { RefusedStart } from '../open-sandbox.ts'
import { type SandboxServer, type ServerOptions, startServer } from '../server.ts'
import type { SandboxTraces } from '../telemetry/traced-sandbox.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { stopSignal } from './stop-signal.ts'
import { duration, parseHost, parseOrigin, parsePort, parseSeed } from './values.ts'

type Flags = ServerOptions & { allowCallbackHost: string[]; json?: boolean; stopWithParent: boolean }

/** `lead-sandbox start`: runs a sandbox server until a signal stops it. */
export function describeStart(command: Command): void {
  command
    .addOption(new Option('--host <host>', 'the address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 takes a free one').default(4010).argParser(parsePort),
    )
    .addOption(
      new Option('--data <where>', 'a SQLite file, postgres://…, or memory').default('memory').env('LEAD_SANDBOX_DATA'),
    )
    .addOption(
      new Option(
        '--seed <number>',
        'make all random values the same each time; not for a shared sandbox, whose keys could be guessed',
      ).argParser(parseSeed),
    )
    .addOption(
      new Option('--profile <name>', 'how the open points of the specification are interpreted').choices([
        'prose',
        'formal',
      ]),
    )
    .addOption(
      new Option('--allow-callback-host <host>', 'let callbacks go to this host too; may be given again')
        .default([], 'only this machine')
        .argParser((host: string, hosts: string[]) => [...hosts, parseHost(host)]),
    )
    .addOption(
      new Option(
        '--admin-token <token>',
        'the token of the control plane, 16 characters or more; required with --host or --public-url of others',
      ).env('LEAD_SANDBOX_ADMIN_TOKEN'),
    )
    .addOption(new Option('--public-url <url>', 'where others reach this server, if elsewhere').argParser(parseOrigin))
    .addOption(
      new Option('--journal-limit <number>', 'how many calls the journal of each tenant keeps')
        .default(10_000)
        .argParser(parseJournalLimit),
    )
    .addOption(
      new Option('--max-age <duration>', 'delete leads, journal and snapshots that are older, such as 30d')
        .env('LEAD_SANDBOX_MAX_AGE')
        .argParser(duration),
    )
    .addOption(new Option('--log-level <level>', 'how much to log on stderr').choices(logLevels).default('info'))
    .option('--access-log', 'log each request on stderr as a line of JSON, without keys, tokens or personal data')
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
  $ lead-sandbox start --host 0.0.0.0 --admin-token TOKEN

To watch it, for probes and Prometheus:
  GET ${sandboxPath}${operatorPaths.live}    whether the process answers
  GET ${sandboxPath}${operatorPaths.ready}   whether it can do its work: 200, or 503
  GET ${sandboxPath}${operatorPaths.metrics}        with the admin token, where there is one

Traces go to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, over HTTP.`

async function start({ allowCallbackHost, json, stopWithParent, ...options }: Flags): Promise<void> {
  const stopped = stopSignal(stopWithParent)
  const started = openTraces(options.logLevel ?? 'info').then(traces =>
    startServer({ ...options, traces, allowedCallbackHosts: allowCallbackHost }),
  )
  const server = await started.catch(asWrongUsage)
  console.log(json ? readyJson(server) : await readyText(server))
  await stopped
  await stop(server, json === true)
  // Not left to end by itself: while Node takes itself down it catches no signal any more, and one that comes again,
  // from a runner that forwards its own, would make a clean stop look like a failure.
  process.exit(exitCodes.done)
}

/** The traces that the environment asks for; what makes them is loaded only then. */
async function openTraces(level: LogLevel): Promise<SandboxTraces | undefined> {
  if (!Object.keys(process.env).some(name => name.startsWith('OTEL_'))) return undefined
  const { tracesOf } = await import('./telemetry/trace-environment.ts')
  const { traceSandbox } = await import('../telemetry/traced-sandbox.ts')
  const traces = tracesOf(process.env, problem => createLog(level).warn(problem))
  return traces && traceSandbox(traces)
}

/** A start that the flags do not allow is wrong usage; its message names the flag to change. */
export function asWrongUsage(error: unknown): never {
  throw error instanceof RefusedStart ? new CommandError(error.message, exitCodes.usage) : error
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

/** The first line on stdout for scripts. */
function readyJson(server: SandboxServer): string {
  const tenant = server.account()
  return JSON.stringify({ ready: true, url: server.url, base_url: tenant.base_url, tenant })
}

/** What a person needs to submit a first lead: the base URL, the demo account, a curl line that works as printed. */
export async function readyText(server: SandboxServer): Promise<string> {
  const { tenant, base_url, publisher, advertisers, products } = server.account()
  const product = products.find(({ active }) => active)
  return `
The sandbox is ready on ${server.url}
Nothing here can reach a real advertiser.

  console       ${server.url}${sandboxPath}/
  base URL      ${base_url}
  reference     ${server.url}${referencePath}
  tenant        ${tenant}
  publisher     ${publisher.publisher_id}
  apikey        ${publisher.api_key}
  product       ${product?.product_id}
${advertisers.map(({ name, advertiser_id, api_key }) => `  advertiser    ${advertiser_id}  apikey ${api_key}  (${name})`).join('\n')}

A first lead (a new e-mail address each time):

${await firstLead(server)}

Stop with Ctrl-C.`
}

/**
 * A curl line that submits a smallest valid lead of the demo account, or why its criteria, which can be changed, allow
 * none. The module that builds it is loaded once the server answers, so that it does not delay the start.
 */
async function firstLead(server: SandboxServer): Promise<string> {
  const { createTestLeads } = await import('@lead-distribution/test-leads')
  const account = server.account()
  const address = "ana-'$(date +%s)'@example.com"
  try {
    const lead = createTestLeads(account).distributed({ customer: { contact: { email: { address } } } })
    return `curl -sS ${account.base_url}/lead -H 'apikey: ${account.publisher.api_key}' -H 'content-type: application/json' -d '${JSON.stringify(lead)}'`
  } catch (error) {
    return (error as Error).message
  }
}
