import { basePath, type ErrorResponse, isUuid, knownStatuses, leadStatuses } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { controlOperations, controlPath } from '@lead-distribution/simulator'
import { pagePaths } from '@lead-distribution/simulator/urls'
import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * The log level. `silent` logs nothing; `debug` also logs each request.
 * @category Options
 */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
/**
 * The log level.
 * @category Options
 */
export type LogLevel = (typeof logLevels)[number]

/** Fields redacted at any depth. No log entry should contain them; this guards against mistakes. */
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

/** Structured logs on stderr, one JSON object per line; stdout is for the output of commands. */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  const paths = secret.flatMap(name => [name, `*.${name}`, `*.*.${name}`])
  return pino({ level, redact: { paths, censor: '[redacted]' }, base: null }, destination)
}

/** Every segment of the sandbox's own paths, except parameters. */
const segments = new Set(
  [
    basePath,
    controlPath,
    ...Object.values(pagePaths),
    ...[operations, controlOperations].flatMap(table => Object.values(table).map(({ path }) => path)),
  ]
    .flatMap(path => path.split('/'))
    .filter(segment => !segment.startsWith(':')),
)

/**
 * Redacts a path for the log: keeps the sandbox's own segments and UUIDs, and replaces all else, which may be personal
 * data, by `*`.
 */
export function loggedPath(path: string): string {
  return path
    .split('/')
    .map(segment => (segments.has(segment) || isUuid(segment) ? segment : '*'))
    .join('/')
}

/** The decision in a service response; only names from our own vocabulary, never text from the client. */
interface Decision {
  /** The status of the lead or report, or the error code. */
  readonly outcome?: string
  /** The rejection reason. */
  readonly reason?: string
  /** The reported event. */
  readonly event?: string
}

/**
 * A request with its response, without query, headers and body.
 * @category Sandbox
 */
export interface RequestLine extends Decision {
  /** For example `POST`. */
  readonly method: string
  /** Its path as received. */
  readonly path: string
  /** The operation; undefined if none matches the path and method. */
  readonly operation: string | undefined
  /** 0 if no response was sent on purpose. */
  readonly status: number
  /** Milliseconds from the request's headers to the response. */
  readonly ms: number
}

/** Returns true for a request to the service, with any method and path. */
export function isServiceRequest({ path }: Pick<RequestLine, 'path'>): boolean {
  return path.startsWith(`${basePath}/`)
}

/** Returns the log line of a request; for the service, includes the decision from the response. */
export function requestLine(answered: Omit<RequestLine, keyof Decision>, body: string): RequestLine {
  return isServiceRequest(answered) ? { ...answered, ...decisionIn(body) } : answered
}

/** Reads the decision from a response; empty if its body was malformed on purpose or is not from the service. */
export function decisionIn(body: string): Decision {
  let answer: Partial<ErrorResponse & Record<'status' | 'event' | 'rejection_reason', string | null>>
  try {
    answer = JSON.parse(body)
  } catch {
    return {}
  }
  const { error, status, event, rejection_reason: reason } = answer
  if (error) return { outcome: error }
  return {
    ...(status && { outcome: ownName(status) }),
    ...(reason && { reason }),
    ...(event && { event: ownName(event) }),
  }
}

const ownNames: readonly string[] = [...leadStatuses, ...knownStatuses, 'received', 'ignored']

/** One of our names: under the `status_vocabulary` `any`, a reported status is free text from the client. */
const ownName = (name: string) => (ownNames.includes(name) ? name : 'other')

/** Logs requests, those to the service with the decision: either always at `info`, or only for debugging. */
export function logRequests(log: Logger, level: 'info' | 'debug'): (line: RequestLine) => void {
  // None of its fields can be secret. Searching each line for secrets would take 20 times as long as writing it.
  const lines = log.child({}, { redact: [], ...(level === 'info' && { level }) })
  return line => {
    const { method, path, operation, status, outcome, reason, event } = line
    const ms = Math.round(line.ms * 1000) / 1000
    lines[level]({ method, path: loggedPath(path), operation, status, outcome, reason, event, ms }, 'request')
  }
}
