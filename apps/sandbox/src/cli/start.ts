import { demoName, refuseCallbackUrl } from '@lead-distribution/simulator'
import { operatorPaths, sandboxPath } from '@lead-distribution/simulator/paths'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Configuration } from '../configuration/configuration.ts'
import { createLog, type LogLevel, logLevels, logRequests, type RequestLine } from '../log.ts'
import { RefusedStart } from '../open-sandbox.ts'
import { isReachedByOthers, type SandboxServer, type ServerOptions, startServer } from '../server.ts'
import type { SandboxTraces } from '../telemetry/traced-sandbox.ts'
import { callbackHostFlag } from './callback-host-flag.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { readyJson, readyText } from './ready.ts'
import { stopSignal } from './stop-signal.ts'
import { duration, parseOrigin, parsePort, parseSeed } from './values.ts'

/** How long a client that uses its connection again has for its next request once the server stops, milliseconds. */
const idleGraceMs = 1_000

interface Flags extends ServerOptions {
  readonly allowCallbackHost: string[]
  readonly callbackUrl?: string
  readonly config?: string
  readonly json?: boolean
  readonly stopWithParent: boolean
}

/** `lead-sandbox start`: runs a sandbox server until a signal stops it. */
export function describeStart(command: Command): void {
  command
    .addOption(new Option('--host <host>', 'the address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 takes a free one').default(4010).argParser(parsePort),
    )
    .addOption(new Option('--data <where>', 'a SQLite file, postgres://…, or memory').default('memory'))
    .option('--config <file>', 'tenants to start with, as JSON or YAML: callback URLs, criteria, faults, clock')
    .option('--callback-url <url>', 'where the callbacks of the tenant demo go')
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
    .addOption(callbackHostFlag())
    .addOption(
      new Option(
        '--admin-token <token>',
        'the token of the control plane, 16 characters or more; required with --host or --public-url of others',
      ),
    )
    .addOption(new Option('--public-url <url>', 'where others reach this server, if elsewhere').argParser(parseOrigin))
    .addOption(
      new Option('--journal-limit <number>', 'how many calls the journal of each tenant keeps')
        .default(10_000)
        .argParser(parseJournalLimit),
    )
    .addOption(
      new Option('--max-age <duration>', 'delete leads, journal and snapshots that are older, such as 30d').argParser(
        duration,
      ),
    )
    .addOption(
      new Option('--log-level <level>', 'how much to log; each call of the service from info on')
        .choices(logLevels)
        .default('info'),
    )
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
  $ lead-sandbox start --config lead-sandbox.yaml
  $ lead-sandbox start --callback-url http://127.0.0.1:3000/callbacks
  $ lead-sandbox start --host 0.0.0.0 --admin-token TOKEN

To watch it, for probes and Prometheus:
  GET ${sandboxPath}${operatorPaths.live}    whether the process answers
  GET ${sandboxPath}${operatorPaths.ready}   whether it can do its work: 200, or 503
  GET ${sandboxPath}${operatorPaths.metrics}        with the admin token, where there is one

Traces go to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, over HTTP.`

async function start(flags: Flags): Promise<void> {
  const { allowCallbackHost: allowedCallbackHosts, callbackUrl, config, json, stopWithParent, ...options } = flags
  const stopped = stopSignal(stopWithParent)
  const opened = async () => {
    const { configuration, located } = await configurationOf(flags)
    const traces = await openTraces(options.logLevel ?? 'info')
    const started = startServer({
      ...options,
      idleGraceMs,
      traces,
      allowedCallbackHosts,
      configuration,
      onCall: await callLog(flags),
    })
    return started.catch(error => {
      throw located(error)
    })
  }
  const server = await opened().catch(asWrongUsage)
  console.log(json ? readyJson(server) : await readyText(server))
  await stopped
  await stop(server, json === true)
  // Not left to end by itself: while Node takes itself down it catches no signal any more, and one that comes again,
  // from a runner that forwards its own, would make a clean stop look like a failure.
  process.exit(exitCodes.done)
}

/** The tenants that the flags name. What reads a file is loaded only where there is one. */
async function configurationOf({ config, callbackUrl, allowCallbackHost, ...flags }: Flags): Promise<ConfiguredStart> {
  const file =
    config === undefined
      ? undefined
      : (await import('../configuration/read-configuration.ts')).readConfiguration(config)
  const located = file?.located ?? (error => error)
  if (callbackUrl === undefined) return { configuration: file?.configuration, located }
  const refused = refuseCallbackUrl(callbackUrl, allowCallbackHost, { isShared: isReachedByOthers(flags) })
  if (refused !== undefined) throw new RefusedStart(`--callback-url ${refused}.`)
  // After the tenants of the file: the flag wins.
  const demo = { name: demoName, callback_url: callbackUrl }
  return { configuration: { tenants: [...(file?.configuration.tenants ?? []), demo] }, located }
}

interface ConfiguredStart {
  readonly configuration: Configuration | undefined
  /** An error of the start with its place in the file, where it has one. */
  readonly located: (error: unknown) => unknown
}

/** What prints each call of the service: lines for people on a terminal, else a log; none where that has it already. */
async function callLog(flags: Flags): Promise<((line: RequestLine) => void) | undefined> {
  const { logLevel = 'info', accessLog, json } = flags
  if (logLevel !== 'info' && logLevel !== 'debug') return undefined
  if (process.stdout.isTTY && !json) {
    const { callLine } = await import('./printing/call-line.ts')
    return line => console.log(callLine(line, new Date()))
  }
  return logLevel === 'debug' || accessLog ? undefined : logRequests(createLog(logLevel), 'info')
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
