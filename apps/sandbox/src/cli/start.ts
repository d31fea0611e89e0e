import { basePath } from '@lead-distribution/contract'
import { demoName, refuseCallbackUrl } from '@lead-distribution/simulator'
import { operatorPaths, referencePath, sandboxPath } from '@lead-distribution/simulator/urls'
import type { Configuration } from '../configuration/configuration.ts'
import { createLog, loggedPath, logLevels, logRequests, type RequestLine } from '../log.ts'
import { RefusedStart } from '../open-sandbox.ts'
import { isReachedByOthers, type SandboxServer, type ServerOptions, startServer } from '../server.ts'
import type { Account } from '../serving/serve-sandbox.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { byDefault, flag, oneOf, onOff } from './flags.ts'
import { localVerb } from './run-verb.ts'
import { addressFlags, callbackAuthorityFlag, callbackHostFlag, publicUrlFlag, seedFlag } from './server-flags.ts'
import { stopSignal } from './stop-signal.ts'
import { duration, profileFlag, whole } from './values.ts'

/** How long an idle client may still send a request after the server starts to stop, milliseconds. */
const idleGraceMs = 1_000

/** Maximum duration of a shutdown, milliseconds: containers are killed after 30 seconds. */
const stopGraceMs = 20_000

/** How long a failed start may take to exit by itself, milliseconds. */
const failedGraceMs = 2_000

interface Flags extends ServerOptions {
  readonly allowCallbackHost: readonly string[]
  readonly callbackUrl?: string | undefined
  readonly config?: string | undefined
  readonly json?: boolean | undefined
  readonly stopWithParent: boolean
}

/** `lead-sandbox start`: runs a sandbox server until a signal stops it. */
export const start = localVerb({
  takes: {
    ...addressFlags,
    local: onOff('only this machine can reach the port, even with another --host: needs no token; for containers'),
    data: byDefault(flag('<where>', 'a SQLite file, postgres://…, or memory'), 'memory'),
    config: flag('<file>', 'tenants to start with, as JSON or YAML: callback URLs, criteria, faults, clock'),
    callbackUrl: flag('<url>', 'the callback URL of the tenant demo'),
    seed: seedFlag('make all random values repeatable; not for a shared sandbox, because keys become guessable'),
    profile: profileFlag,
    allowCallbackHost: callbackHostFlag(),
    callbackCa: callbackAuthorityFlag,
    adminToken: flag(
      '<token>',
      'the token of the control plane, at least 16 characters; required with --host or --public-url on a network',
    ),
    publicUrl: publicUrlFlag('the URL where others reach this server, if different'),
    journalLimit: byDefault(
      flag('<number>', "the number of requests in each tenant's journal", whole(1, 1_000_000)),
      10_000,
    ),
    maxAge: flag('<duration>', 'delete leads, journal entries and snapshots older than this, such as 30d', duration),
    logLevel: byDefault(
      oneOf(flag('<level>', 'the log level; info and below log each request to the service'), logLevels),
      'info',
    ),
    accessLog: onOff('log each request on stderr as a line of JSON, without keys, tokens or personal data'),
    stopWithParent: byDefault(
      onOff('stop when the parent process ends'),
      process.env.npm_lifecycle_event === 'npx',
      'only by npx',
    ),
    json: onOff('print one line of JSON when ready'),
  },
  examples: [
    '--port 4020 --data sandbox.db',
    '--config lead-sandbox.yaml',
    '--callback-url http://127.0.0.1:3000/callbacks',
    '--host 0.0.0.0 --admin-token TOKEN',
    '--host 0.0.0.0 --local   in a container whose port is published on 127.0.0.1',
  ],
  notes: `For probes and Prometheus:
  GET ${sandboxPath}${operatorPaths.live}    whether the process responds
  GET ${sandboxPath}${operatorPaths.ready}   whether it is ready to serve: 200, or 503
  GET ${sandboxPath}${operatorPaths.metrics}        with the admin token, if there is one`,
  call: serve,
})

async function serve(flags: Flags): Promise<void> {
  const { allowCallbackHost: allowedCallbackHosts, callbackUrl, config, json, stopWithParent, ...options } = flags
  const stopped = stopSignal(stopWithParent)
  const opened = async () => {
    const { configuration, located } = await configurationOf(flags)
    const started = startServer({
      ...options,
      idleGraceMs,
      keepsFullRequests: true,
      allowedCallbackHosts,
      configuration,
      onRequest: await requestLog(flags),
    })
    return started.catch(error => {
      throw located(error)
    })
  }
  const failed = (error: unknown): never => {
    // A resource that fails to close does not prevent the exit.
    setTimeout(() => process.exit(), failedGraceMs).unref()
    return asWrongUsage(error)
  }
  const server = await Promise.race([opened().catch(failed), stopped])
  // Nothing was promised yet, and unfinished work is rolled back, as after a crash.
  if (!server) process.exit(exitCodes.done)
  console.log(json ? readyJson(server) : await readyText(server))
  await stopped
  await stop(server, json === true)
  // Exits explicitly: while Node shuts itself down it catches no more signals, and a repeated one, from a runner that
  // forwards its own, would make a clean stop look like a failure.
  process.exit(exitCodes.done)
}

/** Returns the tenants given by the flags. The parser is loaded only if there is a file. */
async function configurationOf({ config, callbackUrl, allowCallbackHost, ...flags }: Flags): Promise<ConfiguredStart> {
  const file =
    config === undefined
      ? undefined
      : await (await import('../configuration/read-configuration.ts')).readConfiguration(config)
  const located = file?.located ?? (error => error)
  if (callbackUrl === undefined) return { configuration: file?.configuration, located }
  const refused = refuseCallbackUrl(callbackUrl, allowCallbackHost, { isShared: isReachedByOthers(flags) })
  if (refused !== undefined) throw new RefusedStart(`--callback-url ${refused}.`)
  // After the file's tenants, because the flag wins.
  const demo = { name: demoName, callback_url: callbackUrl }
  return { configuration: { tenants: [...(file?.configuration.tenants ?? []), demo] }, located }
}

interface ConfiguredStart {
  readonly configuration: Configuration | undefined
  /** Adds the position in the file, if known, to an error of the start. */
  readonly located: (error: unknown) => unknown
}

/**
 * Returns the request printer: lines for people on a terminal, otherwise a log; undefined if the log already contains
 * them.
 */
async function requestLog(flags: Flags): Promise<((line: RequestLine) => void) | undefined> {
  const { logLevel = 'info', accessLog, json } = flags
  if (logLevel !== 'info' && logLevel !== 'debug') return undefined
  if (process.stdout.isTTY && !json) {
    // Loaded only here, because tables and spinners would delay the start of a server without a terminal.
    const printing = await import('./printing.ts')
    return line => console.log(requestText(printing, line, new Date()))
  }
  return logLevel === 'debug' || accessLog ? undefined : logRequests(createLog(logLevel), 'info')
}

/** Treats a start that the flags do not allow as wrong usage; the message names the flag to change. */
export function asWrongUsage(error: unknown): never {
  throw error instanceof RefusedStart ? new CommandError(error.message, exitCodes.usage) : error
}

async function stop(server: SandboxServer, quiet: boolean): Promise<void> {
  if (!quiet) console.log('Stopping: finishing the requests in flight…')
  setTimeout(() => {
    console.error('The sandbox did not stop in time: unfinished work is rolled back.')
    process.exit(exitCodes.failed)
  }, stopGraceMs)
  await server.close()
}

/** The first line on stdout, for scripts. */
export function readyJson(server: SandboxServer): string {
  const { url } = server
  const { account: tenant, problem } = demoOf(server)
  return JSON.stringify({ ready: true, url, base_url: `${url}${basePath}`, tenant, problem })
}

/** Returns the demo account, or the reason why it is missing. */
function demoOf(server: SandboxServer): { account: Account; problem?: never } | { account?: never; problem: string } {
  try {
    return { account: server.account() }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** Formats the output of a ready server: the base URL, the demo account, and a curl line that works as is. */
export async function readyText(server: SandboxServer): Promise<string> {
  const { account, problem } = demoOf(server)
  if (!account)
    return `\nThe sandbox is ready on ${server.url}\n${problem} To reset it: lead-sandbox reset --sandbox ${server.url}\n\nStop with Ctrl-C.`
  const { tenant, base_url, publisher, advertisers, products } = account
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
 * Returns a curl line that submits a minimal valid lead to the demo account, or the reason why the account's criteria
 * (which can be changed) allow none. The module is loaded once the server is ready, so that it does not delay the
 * start.
 */
async function firstLead(server: SandboxServer): Promise<string> {
  const { createTestLeads } = await import('@lead-distribution/contract/test-leads')
  const account = server.account()
  const address = "ana-'$(date +%s)'@example.com"
  try {
    const lead = createTestLeads(account).distributed({ customer: { contact: { email: { address } } } })
    return `curl -sS ${account.base_url}/lead -H 'apikey: ${account.publisher.api_key}' -H 'content-type: application/json' -d '${JSON.stringify(lead)}'`
  } catch (error) {
    return (error as Error).message
  }
}

/** Formats a request to the service on one line: time, method, path, status, outcome, reason, milliseconds. */
function requestText(
  { line, paint, paintStatus, paintValue, shortTime }: typeof import('./printing.ts'),
  request: RequestLine,
  at: Date,
): string {
  const { method, path, status, ms, outcome, reason, event } = request
  const decided = [outcome && paintValue(outcome), reason, event].filter(part => part).join(' ')
  const time = paint('dim', shortTime(at.toISOString()).slice(11))
  return line([
    time,
    method.padEnd(4),
    loggedPath(path),
    paintStatus(status),
    decided,
    paint('dim', `${ms.toFixed(1)} ms`),
  ])
}
