import { basePath, isUuid } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { controlOperations, controlPath } from '@lead-distribution/simulator'
import { type DestinationStream, type Logger, pino } from 'pino'

/** How much is logged; `silent` nothing, `debug` each request too. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
/** How much is logged. */
export type LogLevel = (typeof logLevels)[number]

/** Fields that never reach a log, wherever they are: what we log holds none of them, and a slip must not either. */
const secret = [
  'apikey',
  'api_key',
  'token',
  'authorization',
  'callback_secret',
  'postback_secret',
  'seed',
  'customer',
  'submission',
  'body',
  'email',
]

/** Structured logs on stderr, one JSON object a line: stdout is for what was asked for. */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  const paths = secret.flatMap(name => [name, `*.${name}`, `*.*.${name}`])
  return pino({ level, redact: { paths, censor: '[redacted]' }, base: null }, destination)
}

const pages = ['docs', 'health', 'lender', 'live', 'metrics', 'openapi.json', 'ready', 'service.openapi.json', 'sink']

/** Every segment of the sandbox's own paths, without the parameters of the tables. */
const segments = new Set([
  ...[
    basePath,
    controlPath,
    ...[operations, controlOperations].flatMap(table => Object.values(table).map(({ path }) => path)),
  ]
    .flatMap(path => path.split('/'))
    .filter(segment => !segment.startsWith(':')),
  ...pages,
])

/**
 * A path for the log: the sandbox's own segments and UUIDs, `*` for anything else. Callers can put anything
 * in a path, and some put an e-mail address where an id belongs.
 */
export function loggedPath(path: string): string {
  return path
    .split('/')
    .map(segment => (segments.has(segment) || isUuid(segment) ? segment : '*'))
    .join('/')
}

/** A request that was answered: no query, no header, no body. */
export interface RequestLine {
  readonly method: string
  /** Its path, as it came. */
  readonly path: string
  /** What answered it; undefined where no operation has the path or the method. */
  readonly operation: string | undefined
  /** 0 where no response was sent, on purpose. */
  readonly status: number
  /** Milliseconds from the head of the request to the response. */
  readonly ms: number
}

/** Logs requests: as `access` whatever the level, or else for debugging. */
export function logRequests(log: Logger, access: boolean): (line: RequestLine) => void {
  const lines = access ? log.child({}, { level: 'info' }) : log
  return line => {
    const { method, path, operation, status } = line
    const ms = Math.round(line.ms * 1000) / 1000
    lines[access ? 'info' : 'debug']({ method, path: loggedPath(path), operation, status, ms }, 'request')
  }
}
