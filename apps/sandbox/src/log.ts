import { type DestinationStream, type Logger, pino } from 'pino'

/** How much is logged; `silent` nothing, `debug` each request too. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
/** How much is logged. */
export type LogLevel = (typeof logLevels)[number]

/** Fields that never reach a log, wherever they stand: what we log holds none of them, and a slip must not either. */
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
