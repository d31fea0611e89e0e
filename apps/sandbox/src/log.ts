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

const pages = ['docs', 'health', 'lender', 'metrics', 'openapi.json', 'service.openapi.json', 'sink']

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
