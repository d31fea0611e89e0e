import type { FieldIssue } from '@lead-distribution/contract'
import type { Call, CallProgress } from './call.ts'
import {
  AbortedError,
  AuthError,
  BadRequestError,
  type ErrorFacts,
  fieldNames,
  type LeadSdkError,
  NotSentError,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  ServerError,
} from './errors.ts'
import type { IsSensitive } from './redact.ts'
import { type FailureKind, failureOfStatus, parseRetryAfter, verdictOf } from './retry.ts'

/** The failure of one attempt. */
export interface Failure {
  kind: FailureKind
  /** The reason in a few words, for messages and events; never quotes a runtime's error or a response. */
  why: string
  /** Advice that replaces the default advice for this kind. */
  advice?: string
  /** The content of the error response, if there was one. */
  response?: ErrorContent
}

/** The content of an error response. */
export interface ErrorContent {
  status: number
  /** The service's error code; null if it sent none. */
  error: string | null
  /** The service's issues. */
  details: readonly FieldIssue[]
  /** The fields of the issues, for the message. */
  fields: string
  /** The delay that the service asks for, in milliseconds; null if it names none. */
  retryAfterMs: number | null
}

const reasons: Partial<Record<FailureKind, string>> = {
  not_reached: 'no connection was established',
  unreachable: 'the certificate of the server is not trusted, or `fetch` blocks its port',
}

/** Returns the failure of an attempt that got no response. */
export function failureOf(kind: FailureKind): Failure {
  return { kind, why: reasons[kind] ?? 'the connection broke before the whole response was read' }
}

/** Returns the failure of an attempt that timed out. */
export function tooLate(limitMs: number): Failure {
  return { kind: 'reply_lost', why: `no complete response within ${Math.round(limitMs)} ms` }
}

/** Returns the failure of a call that sent nothing, because its deadline passed or the request could not be built. */
export function notBuilt(isLate: boolean): Failure {
  if (isLate) {
    const advice = 'Raise `deadlineMs`: it includes the `apiKey` function.'
    return { kind: 'not_reached', why: 'the deadline passed before the first attempt', advice }
  }
  const advice = "Check that `signal`, `Request` and `AbortController` are the runtime's own."
  return { kind: 'unreachable', why: 'the request could not be built', advice }
}

/** Returns the failure for a network error. Defaults to "may have been sent" unless the error proves otherwise. */
export function failureOfError(error: unknown): Failure {
  try {
    return failureOf(kindOfError(error))
  } catch {
    // One of the error's getters threw, and its error may hold anything.
    return failureOf('reply_lost')
  }
}

// Nothing can be sent before a connection is established. The codes are Node's, then Bun's.
const beforeConnect =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|HANDSHAKE_FAIL|_VERSION|PACKET_LENGTH|UNSUPPORTED_PROTOCOL/

/**
 * Classifies a network error by the codes and messages of Node, Bun and Deno. Browsers and edge runtimes provide
 * neither.
 */
function kindOfError(error: unknown, depth = 0): FailureKind {
  if (depth > 5) return 'reply_lost'
  const { code, syscall, errors, cause, message }: Record<string, unknown> = Object(error)
  if (Array.isArray(errors) && errors.length > 0) {
    // One error per address: nothing was sent only if every one failed before connecting.
    const kinds = errors.map(each => kindOfError(each, depth + 1))
    return kinds.every(kind => kind === 'not_reached') ? 'not_reached' : 'reply_lost'
  }
  if (typeof code === 'string') {
    if (beforeConnect.test(code) || syscall === 'connect') return 'not_reached'
    if (untrusted.test(code)) return 'unreachable'
  } else if (/^bad port$|port \d+ are blocked$/.test(String(message))) {
    // Node's message, then Deno's.
    return 'unreachable'
  } else if (/ client error \(Connect\): /.test(String(message))) {
    // Deno provides a message and no code. The message contains spaces, so it can't come from a URL.
    return /certificate/.test(String(message)) ? 'unreachable' : 'not_reached'
  }
  return kindOfError(cause, depth + 1)
}

/** Returns the failure of an error response. */ // Spec 2.13
export function failureOfResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Record<string, unknown> | undefined,
  isSensitive: IsSensitive,
): Failure {
  const kind = failureOfStatus(status)
  if (!kind) return { kind: 'reply_lost', why: `the response (${status}) is not the JSON that the service sends` }
  const details = detailsOf(body)
  return {
    kind,
    why: `the response has status ${status}`,
    response: {
      status,
      error: codeOf(body, isSensitive),
      details,
      fields: fieldNames(details.filter(({ field }) => !isSensitive(field))),
      retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
    },
  }
}

/** Parses a response body that is a JSON object; returns undefined for anything else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the `error` of an error response if it is a code and repeats no sent data. */
function codeOf(body: Record<string, unknown> | undefined, isSensitive: IsSensitive): string | null {
  const code = body?.error
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code)) return null
  return isSensitive(code) ? null : code
}

/** Returns the well-formed `details` of an error response. */
function detailsOf(body: Record<string, unknown> | undefined): FieldIssue[] {
  const { details } = body ?? {}
  if (!Array.isArray(details)) return []
  return details
    .filter(each => typeof each?.field === 'string' && typeof each?.issue === 'string')
    .map(({ field, issue }) => ({ field, issue }))
}

/** A call after its last failed attempt. */
export interface FailedCall {
  call: Pick<Call, 'name' | 'credential' | 'alsoCheck'>
  progress: Pick<CallProgress, 'callId' | 'at' | 'meta'>
  failure: Failure
  /** True if an earlier attempt of this call may have been processed. */
  maybeBefore: boolean
}

/** Returns the error that ends a call after its last attempt. */
export function errorOfFailure(failed: FailedCall): LeadSdkError {
  const { call, progress, failure, maybeBefore } = failed
  const { kind, why, response } = failure
  const meta = progress.meta()
  const nothingProcessed = !response || kind === 'rate_limited'
  if (verdictOf(call.name, kind) === 'unknown' || kind === 'reply_lost' || (maybeBefore && nothingProcessed)) {
    const retryable = call.name !== 'submitLead'
    const advice = retryable
      ? 'It may have been recorded. It is safe to retry.'
      : 'The lead may exist. Wait for its callback, or submit it again with `resubmission: true`.'
    const message = `The outcome is unknown: ${why}. ${advice}`
    return new OutcomeUnknownError(message, { sent: 'maybe', retryable, meta }, progress)
  }
  if (!response) {
    const retryable = kind === 'not_reached'
    const usual = retryable
      ? 'Send it again. If it keeps failing, check that the service runs at the base URL.'
      : 'Check the base URL.'
    return new NotSentError(`Nothing was sent: ${why}. ${failure.advice ?? usual}`, { sent: 'no', retryable, meta })
  }
  const { status, retryAfterMs } = response
  const facts: ErrorFacts = { sent: 'yes', retryable: kind === 'rate_limited' || kind === 'unavailable', meta }
  const nothing = maybeBefore ? '' : ' Nothing was processed.'
  switch (kind) {
    case 'rate_limited': {
      const message = `Rate limited (${status}).${nothing} Retry later, with fewer requests at once.`
      return new RateLimitError(message, facts, retryAfterMs)
    }
    case 'unavailable':
      return new ServerError(`The service failed (${status}). Send it again later.`, facts)
    case 'redirected':
    case 'unexpected':
      // Redirects are not followed: they would forward the key.
      return new ProtocolError(
        `Unexpected ${status < 400 ? 'redirect' : 'response'} (${status}): \`baseUrl\` probably points at another server.`,
        facts,
      )
    default:
      return refusedError(call, response, facts, nothing)
  }
}

function refusedError(
  { credential = 'API key: use your own key for this environment', alsoCheck }: FailedCall['call'],
  { status, error, details, fields }: ErrorContent,
  facts: ErrorFacts,
  nothing: string,
): LeadSdkError {
  if (status === 401 || status === 403) {
    // A firewall or proxy responds with its own page.
    const other =
      error === null ? ", or ask if a firewall or proxy refuses the request: the response is not the service's" : ''
    return new AuthError(`The service does not accept the ${credential}${other} (${status}).`, facts)
  }
  if (status === 501)
    return new ServerError(`The service does not support this operation (${status}). Check the base URL.`, facts)
  if (status === 407) {
    const message = `A proxy asks for credentials (${status}).${nothing} Set them in this process's proxy configuration.`
    return new BadRequestError(message, facts, error, details)
  }
  const correct = details.length > 0 ? ` Correct ${fields}; see \`details\`.` : ''
  const also = alsoCheck?.(status) ?? ''
  const advice = status === 404 || status === 405 ? ` Check the base URL, which ends in /api/v1${also}.` : ''
  const message = `The service refused the request (${status}, ${error ?? 'no error code'}).${correct}${nothing}${advice}`
  return new BadRequestError(message, facts, error, details)
}

/** Returns the error of a call that its signal aborted. */
export function abortedError({ name }: Pick<Call, 'name'>, progress: CallProgress, maybeBefore: boolean): AbortedError {
  const maybe = maybeBefore || progress.inFlight
  const outcome = maybe ? 'Its outcome is unknown.' : 'Nothing was processed.'
  return new AbortedError(`The call was aborted by its signal. ${outcome}`, {
    sent: maybe ? 'maybe' : 'no',
    retryable: !maybe || name !== 'submitLead',
    meta: progress.meta(),
  })
}
