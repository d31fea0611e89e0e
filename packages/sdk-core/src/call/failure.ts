import type { FieldIssue } from '@lead-distribution/contract'
import { kindOfError } from '@lead-distribution/sdk-core/network'
import {
  AbortedError,
  AuthError,
  BadRequestError,
  type ErrorFacts,
  type LeadSdkError,
  NotSentError,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  ServerError,
} from '../errors/index.ts'
import { fieldNames } from '../errors/validation-error.ts'
import type { Call, CallAttempt, CallMeta } from './call.ts'
import type { IsSensitive } from './redact.ts'
import { type FailureKind, failureOfStatus, parseRetryAfter, verdictOf } from './retry.ts'

/** The failure of one attempt. */
export interface Failure {
  kind: FailureKind
  /** The reason in a few words, for messages and events; never the words of a runtime's error or of a response. */
  why: string
  /** Advice that replaces the usual one of the kind. */
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
  /** The fields of the issues, for a message. */
  fields: string
  /** The delay that the service asks for, milliseconds; null if it doesn't say. */
  retryAfterMs: number | null
}

/** Ends an attempt that got no usable response. It never leaves the SDK and carries nothing of the error behind it. */
export class FailedAttempt extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.why)
    this.failure = failure
  }
}

const reasons: Partial<Record<FailureKind, string>> = {
  not_reached: 'no connection was established',
  unreachable: 'the certificate of the server is not trusted, or `fetch` blocks its port',
}

/** Returns the failure of an attempt without a response. */
export function failureOf(kind: FailureKind): Failure {
  return { kind, why: reasons[kind] ?? 'the connection broke before the whole response was read' }
}

/** Returns the failure of a call that ended with neither a network error nor a response. */
export function unexplained(attempts: number, isLate: boolean): Failure {
  // Only a custom `fetch` returns something that cannot be read.
  if (attempts > 0) return { kind: 'reply_lost', why: 'the response could not be read' }
  if (isLate) {
    const advice = 'Raise `deadlineMs`: it includes the `apiKey` function.'
    return { kind: 'not_reached', why: 'the deadline passed before the first attempt', advice }
  }
  const advice = "Check that `signal`, `Request` and `AbortController` are the runtime's own."
  return { kind: 'unreachable', why: 'the request could not be built', advice }
}

/** Returns the failure that a thrown network error proves. */
export function failureOfError(error: unknown): Failure {
  try {
    return failureOf(kindOfError(error))
  } catch {
    // One of its getters threw, and what it threw may hold anything.
    return failureOf('reply_lost')
  }
}

/** Returns the failure of an error response. */ // Spec 2.13
export function failureOfResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Record<string, unknown> | undefined,
  isSensitive: IsSensitive,
): Failure {
  const details = detailsOf(body)
  return {
    kind: failureOfStatus(status) ?? 'unexpected',
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

/** Returns the `error` of an error response if it is a code and repeats nothing that was sent. */
function codeOf(body: Record<string, unknown> | undefined, isSensitive: IsSensitive): string | null {
  const code = body?.error
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code)) return null
  return isSensitive(code) ? null : code
}

/** Returns the `details` of an error response that have the right shape. */
function detailsOf(body: Record<string, unknown> | undefined): FieldIssue[] {
  const { details } = body ?? {}
  if (!Array.isArray(details)) return []
  return details
    .filter(each => typeof each?.field === 'string' && typeof each?.issue === 'string')
    .map(({ field, issue }) => ({ field, issue }))
}

/** A call that ends with an error. */
export interface EndedCall {
  call: Pick<Call, 'name' | 'credential' | 'alsoCheck'>
  meta: CallMeta
  attempt: CallAttempt
}

/** A call whose last attempt failed. */
export interface FailedCall extends EndedCall {
  failure: Failure
  /** True if an earlier attempt of this call may have been processed. */
  maybeBefore: boolean
}

/** Returns the error that a call ends with once nothing is left to try. */
export function errorOfFailure(ended: FailedCall): LeadSdkError {
  const { call, failure, maybeBefore, meta } = ended
  const { kind, why, response } = failure
  const nothingProcessed = !response || kind === 'rate_limited'
  if (verdictOf(call.name, kind) === 'unknown' || kind === 'reply_lost' || (maybeBefore && nothingProcessed))
    return outcomeUnknown(ended)
  if (!response) {
    const retryable = kind === 'not_reached'
    const usual = retryable
      ? 'Send it again. If it keeps failing, check that the service runs at the base URL.'
      : 'Check the base URL.'
    return new NotSentError(`Nothing was sent: ${why}. ${failure.advice ?? usual}`, { sent: 'no', retryable, meta })
  }
  const { status } = response
  const facts: ErrorFacts = { sent: 'yes', retryable: kind === 'rate_limited' || kind === 'unavailable', meta }
  const nothing = maybeBefore ? '' : ' Nothing was processed.'
  switch (kind) {
    case 'rate_limited':
      return new RateLimitError(
        `The service asked you to slow down (${status}).${nothing} Send it again later, and fewer at a time.`,
        facts,
        response.retryAfterMs,
      )
    case 'unavailable':
      return new ServerError(`The service failed (${status}). Send it again later.`, facts)
    case 'redirected':
    case 'unexpected':
      // A redirect is not followed: it would carry the key along.
      return new ProtocolError(`The service never sends this response (${status}). Check the base URL.`, facts)
    default:
      return refusedError(call, response, facts, nothing)
  }
}

function outcomeUnknown({ call, meta, attempt, failure }: FailedCall): OutcomeUnknownError {
  const retryable = call.name !== 'submitLead'
  const advice = retryable
    ? 'It may have been recorded. It is safe to repeat it.'
    : 'The lead may exist. Wait for its callback, or submit it with `previousAttempt: error.attempt`.'
  const message = `The outcome is unknown: ${failure.why}. ${advice}`
  return new OutcomeUnknownError(message, { sent: 'maybe', retryable, meta }, attempt)
}

function refusedError(
  call: EndedCall['call'],
  response: ErrorContent,
  facts: ErrorFacts,
  nothing: string,
): LeadSdkError {
  const { status, error, details, fields } = response
  if (status === 401 || status === 403) {
    const { credential = 'API key: use your own key for this environment' } = call
    return new AuthError(`The service does not accept the ${credential} (${status}).`, facts)
  }
  if (status === 501)
    return new ServerError(`The service does not support this operation (${status}). Check the base URL.`, facts)
  const correct = details.length > 0 ? ` Correct ${fields}; see \`details\`.` : ''
  const also = call.alsoCheck?.(status) ?? ''
  const advice = status === 404 || status === 405 ? ` Check the base URL, which ends in /api/v1${also}.` : ''
  const message = `The service refused the request (${status}, ${error ?? 'no error code'}).${correct}${nothing}${advice}`
  return new BadRequestError(message, facts, error, details)
}

/** Returns the error of a call that its signal ended. */
export function abortedError({ call, meta, attempt }: EndedCall, maybe: boolean): AbortedError {
  const facts = { sent: maybe ? 'maybe' : 'no', retryable: !maybe || call.name !== 'submitLead', meta } as const
  const outcome = maybe ? 'Its outcome is unknown.' : 'Nothing was processed.'
  return new AbortedError(`The call was aborted by its signal. ${outcome}`, facts, attempt)
}
