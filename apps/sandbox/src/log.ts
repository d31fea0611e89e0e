import { basePath, type ErrorResponse, isUuid, knownStatuses, leadStatuses } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { controlOperations, controlPath } from '@lead-distribution/simulator'
import { pagePaths } from '@lead-distribution/simulator/urls'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The log level; `silent` logs nothing, `debug` also each request. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
/** The log level. */
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

/** Every segment of the sandbox's own paths, without their parameters. */
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

/** A path for the log: the sandbox's own segments and UUIDs, `*` for anything else, which may be personal data. */
export function loggedPath(path: string): string {
  return path
    .split('/')
    .map(segment => (segments.has(segment) || isUuid(segment) ? segment : '*'))
    .join('/')
}

/** The decision in a response of the service; names that are ours, never the sender's. */
interface Decision {
  /** The status of the lead or of the report, or the code of the error. */
  readonly outcome?: string
  /** The reason that a lead was rejected. */
  readonly reason?: string
  /** The event of a report. */
  readonly event?: string
}

/** A request that was answered: no query, no header, no body. */
export interface RequestLine extends Decision {
  /** Such as `POST`. */
  readonly method: string
  /** Its path, as it came. */
  readonly path: string
  /** The operation; undefined if none has the path and the method. */
  readonly operation: string | undefined
  /** 0 where no response was sent, on purpose. */
  readonly status: number
  /** Milliseconds from the head of the request to the response. */
  readonly ms: number
}

/** Returns true for a request of the service, of any method and path below it. */
export function isCall({ path }: Pick<RequestLine, 'path'>): boolean {
  return path.startsWith(`${basePath}/`)
}

/** The line of a request; of one of the service with what the text of its response says was decided. */
export function requestLine(answered: Omit<RequestLine, keyof Decision>, body: string): RequestLine {
  return isCall(answered) ? { ...answered, ...decisionIn(body) } : answered
}

/** The decision in a response; none where its text was garbled, or is no answer of the service. */
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

/** A name of ours; under `status_vocabulary` `any` a reported status is the sender's choice. */
const ownName = (name: string) => (ownNames.includes(name) ? name : 'other')

/** Logs requests, those of the service with what was decided: at `info` whatever the level of the log, or for debugging. */
export function logRequests(log: Logger, level: 'info' | 'debug'): (line: RequestLine) => void {
  // Not one of its fields can be secret. To look for secrets in each line takes 20 times as long as to write it.
  const lines = log.child({}, { redact: [], ...(level === 'info' && { level }) })
  return line => {
    const { method, path, operation, status, outcome, reason, event } = line
    const ms = Math.round(line.ms * 1000) / 1000
    lines[level]({ method, path: loggedPath(path), operation, status, outcome, reason, event, ms }, 'request')
  }
}
