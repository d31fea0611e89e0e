import { createHash, randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { durationMs, isDuration, type Settings } from '@lead-distribution/contract'
import { compileShape } from '@lead-distribution/engine'
import {
  createMemoryStorage,
  createSandbox,
  type Entropy,
  isLoopback,
  type Place,
  refuseAllowedHost,
  type Sandbox,
  type SandboxStorage,
  type Timer,
} from '@lead-distribution/simulator'
import { createNodeDialer, isCertificate } from './dialer/node-dialer.ts'
import { version } from './package-files.ts'
import { isDatabaseUrl, readDatabaseUrl } from './storage/postgres/database-url.ts'
import { createProcessMetrics } from './telemetry/process-metrics.ts'

/** Real time. */
const systemClock = { now: () => Date.now() }

/** Monotonic, in whole milliseconds. */
const steadyClock = { now: () => Math.round(performance.timeOrigin + performance.now()) }

/** The longest delay of a Node timer, milliseconds. */
const maxWait = 2 ** 31 - 1

/** Timers that do not keep the process alive. */
const systemTimer: Timer = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), maxWait))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The system's randomness, or with a seed a repeatable sequence. */
function createEntropy(seed: number | undefined): Entropy {
  if (seed === undefined) return { bytes: count => new Uint8Array(randomBytes(count)) }
  let drawn = 0
  return {
    bytes(count) {
      drawn += 1
      return new Uint8Array(createHash('shake256', { outputLength: count }).update(`${seed}/${drawn}`).digest())
    },
  }
}

/** The options of a sandbox, regardless of how it is served. */
export interface SandboxOptions {
  /** `memory`, the path of a SQLite file, or the URL of a PostgreSQL database. Default `memory`. */
  readonly data?: string | undefined
  /** Makes all random values repeatable. */
  readonly seed?: number | undefined
  /** The profile of the demo tenant and of tenants without their own. */
  readonly profile?: Settings['profile'] | undefined
  /**
   * Hosts besides this machine that may receive callbacks, or single ports of hosts, such as `127.0.0.1:3000`. On a
   * shared sandbox, each port of this machine must be allowed too. Default: none.
   */
  readonly allowedCallbackHosts?: readonly string[] | undefined
  /**
   * The certificate of an authority, PEM, that issued the certificate of a receiver or of an advertiser's back end,
   * such as mkcert's `rootCA.pem`. Trusted in addition to Node's authorities.
   */
  readonly callbackCa?: string | undefined
  /** The control plane's token. Required if other machines can reach the sandbox. */
  readonly adminToken?: string | undefined
  /** The maximum number of requests in each tenant's journal. Default 10000. */
  readonly journalLimit?: number | undefined
  /** The maximum age of leads, journal entries and snapshots, an ISO 8601 duration such as `P30D`. Default: unlimited. */
  readonly maxAge?: string | undefined
  /** Makes random values, including lead ids, differ from those that the seeds determine. */
  readonly randomSalt?: string | undefined
}

/**
 * Thrown if the options do not allow a start; the message says what to do.
 * @example
 * ```ts
 * import { RefusedStart, startServer } from '@lead-distribution/sandbox'
 *
 * await startServer({ host: '0.0.0.0' }).catch(error => {
 *   if (!(error instanceof RefusedStart)) throw error
 *   report(error.message) // Others could reach the control plane on 0.0.0.0: start with --admin-token TOKEN, …
 * })
 * ```
 * @category Errors
 */
export class RefusedStart extends Error {}

/**
 * Throws a {@link RefusedStart} if a sandbox cannot be opened with these options. `isShared`: other machines can reach
 * it.
 */
export function checkOptions(
  { data, adminToken, maxAge, allowedCallbackHosts = [], callbackCa }: SandboxOptions,
  isShared: boolean,
): void {
  for (const host of allowedCallbackHosts) {
    const issue = refuseAllowedHost(host, { isShared })
    if (issue !== undefined) throw new RefusedStart(`--allow-callback-host ${host} ${issue}.`)
  }
  if (adminToken && !/^[!-~]{16,1024}$/.test(adminToken))
    throw new RefusedStart(
      'The admin token must have 16 to 1024 printable ASCII characters without spaces. Create one with `openssl rand -hex 24`.',
    )
  if (maxAge !== undefined && !(isDuration(maxAge) && durationMs(maxAge) >= 1_000))
    throw new RefusedStart(`--max-age must be a duration of at least one second, such as 30d (got '${maxAge}').`)
  if (callbackCa !== undefined && !isCertificate(callbackCa))
    throw new RefusedStart("--callback-ca must contain a PEM certificate, such as mkcert's rootCA.pem.")
  dataLocation(data)
}

/**
 * Returns the data location, trimmed. The message does not repeat it, because it may contain a password.
 * @throws RefusedStart it is empty, or a typo that would create a SQLite file with a wrong name.
 */
function dataLocation(text = 'memory'): string {
  const data = text.trim()
  const wrong = isDatabaseUrl(data) ? undefined : refusedLocations.find(({ form }) => form.test(data))
  if (wrong)
    throw new RefusedStart(`--data ${wrong.is}: start with --data FILE, --data postgres://…, or --data memory.`)
  if (isDatabaseUrl(data)) checkDatabaseUrl(data)
  return data
}

const refusedLocations: readonly { readonly form: RegExp; readonly is: string }[] = [
  { form: /^$/, is: 'is empty' },
  { form: /^["'`]|["'`]$/, is: 'is in quotes, which are part of the value (Docker keeps the quotes of an env file)' },
  // SQLite treats it as a temporary database that is deleted on close.
  { form: /^:memory:$/i, is: 'is not :memory: but memory' },
  { form: /^(?=.*[A-Z])[Mm][Ee][Mm][Oo][Rr][Yy]$/, is: 'must be memory in lower case' },
  { form: /^[~$%]/, is: 'starts with ~ or a variable that no shell expanded' },
  {
    form: /^[^/\\]{2,}:|:\/\/|\/\/.*@/,
    is: 'looks like a URL of an unsupported kind (write ./NAME for a file with a colon)',
  },
  { form: /^[\w ]+=/, is: 'looks like the settings of a database connection' },
]

function checkDatabaseUrl(data: string): void {
  try {
    readDatabaseUrl(data)
  } catch (error) {
    throw new RefusedStart((error as Error).message)
  }
}

/**
 * Throws a {@link RefusedStart} if a host is not this machine and there is no admin token. `where` completes the
 * message: how it is reached, and what to do.
 */
export function checkReach(hostname: string, adminToken: string | undefined, where: string): void {
  if (!isLoopback(hostname) && !adminToken) throw new RefusedStart(`Others could reach the control plane ${where}`)
}

/**
 * Returns a sandbox's URL without a trailing slash. `option` is the name of the option for the message.
 * @throws Error it is not an http or https URL, or has a query, a fragment or a user.
 */
export function checkUrl(url: string, option: string): string {
  const { protocol, origin, pathname, search, hash, username } = URL.canParse(url) ? new URL(url) : new URL('none:')
  if (!/^https?:$/.test(protocol) || search || hash || username)
    throw new Error(`\`${option}\` must be an http or https URL without query or fragment (got ${url}).`)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** Returns this machine's addresses besides loopback, re-read because interfaces change. */
export function addressesOfThisMachine(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.map(({ address }) => address.replace(/%.*$/, ''))
}

/**
 * Opens a sandbox with this system's clock, timers, randomness and network. `url` is where it is reached, including the
 * mount path.
 */
export async function openSandbox(
  options: SandboxOptions,
  url: string,
  place: Place,
  onError: (error: unknown) => void,
  refused: () => number,
): Promise<Sandbox> {
  const spans = await loadSpans(onError)
  const data = dataLocation(options.data)
  const storage = await openStorage(data, onError)
  const processMetrics = createProcessMetrics(data, refused)
  const sandbox = await createSandbox({
    storage: spans?.traceStorage(storage) ?? storage,
    observeEgress: spans?.traceEgress,
    monotonic: () => performance.now(),
    processMetrics: processMetrics.read,
    clock: systemClock,
    steadyClock,
    timer: systemTimer,
    entropy: createEntropy(options.seed),
    dialer: createNodeDialer({ ca: options.callbackCa }),
    origin: url,
    access: { adminToken: options.adminToken || undefined },
    profile: options.profile,
    allowedCallbackHosts: options.allowedCallbackHosts ?? [],
    place,
    randomSalt: options.randomSalt,
    journalLimit: options.journalLimit,
    maxAgeMs: options.maxAge === undefined ? undefined : durationMs(options.maxAge),
    version,
    compileShape,
    documents: () => import('@lead-distribution/simulator/documents'),
    hasConsole: true,
    onError,
  })
  return {
    ...sandbox,
    handle: spans?.traceRequests(sandbox.handle, url) ?? sandbox.handle,
    async close() {
      await sandbox.close()
      processMetrics.stop()
      await spans?.flushSpans()
    },
  }
}

/** Loads tracing if an OpenTelemetry SDK runs in this process: it registers itself under this symbol. */
async function loadSpans(
  onError: (error: unknown) => void,
): Promise<typeof import('./telemetry/spans.ts') | undefined> {
  if (!(Symbol.for('opentelemetry.js.api.1') in globalThis)) return undefined
  return import('./telemetry/spans.ts').catch((cause: unknown) => {
    onError(new Error('No spans are recorded: install @opentelemetry/api next to the sandbox.', { cause }))
    return undefined
  })
}

async function openStorage(data: string, onError: (error: unknown) => void): Promise<SandboxStorage> {
  if (data === 'memory') return createMemoryStorage()
  if (isDatabaseUrl(data)) {
    const { openPostgresStorage } = await import('./storage/postgres/postgres-storage.ts').catch(explainMissingDriver)
    return openPostgresStorage(data, onError)
  }
  const { openSqliteStorage } = await import('./storage/sqlite/sqlite-storage.ts')
  return openSqliteStorage(data, { onError })
}

/** The driver is an optional peer, only needed for PostgreSQL. */
function explainMissingDriver(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("package 'pg'"))
    throw new RefusedStart(
      'PostgreSQL needs its driver, which is not installed: run `npm install pg` where the sandbox is installed, or start with --data FILE.',
    )
  throw error
}
