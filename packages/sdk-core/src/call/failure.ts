import type { FieldIssue } from '@lead-distribution/contract'
import { kindOfError } from '@lead-distribution/sdk-core/network'
import { fieldNames } from '../errors/unsent-errors.ts'
import type { IsSensitive } from './redact.ts'
import { type FailureKind, failureOfStatus, parseRetryAfter } from './retry.ts'

/** What went wrong with one attempt. */
export interface Failure {
  kind: FailureKind
  /** In a few words, for messages and events; never the words of a runtime's error or of a reply. */
  why: string
  /** Advice that replaces that of the kind. */
  advice?: string
  /** The content of the error reply, where there was one. */
  reply?: ErrorReply
}

/** What is read of an error reply. */
export interface ErrorReply {
  status: number
  /** The service's error code, where it showed one. */
  error: string | null
  /** The service's issues. */
  details: readonly FieldIssue[]
  /** The fields of the issues, for a message. */
  fields: string
  /** How long the service asks to wait, milliseconds. */
  retryAfterMs: number | null
}

/** An attempt that came to no usable reply. It never leaves the SDK, and carries nothing of the error behind it. */
export class FailedAttempt extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.why)
    this.failure = failure
  }
}

const reasons: Partial<Record<FailureKind, string>> = {
  not_reached: 'no connection was established',
  unreachable: 'the certificate of the server is not trusted, or `fetch` refuses its port',
}

/** A failure without a reply. */
export function failureOf(kind: FailureKind): Failure {
  return { kind, why: reasons[kind] ?? 'the connection broke before the whole reply was read' }
}

/** The failure of a call that ended by neither a network error nor a reply. */
export function unexplained(attempts: number, isLate: boolean): Failure {
  // Only a custom `fetch` gives what cannot be read.
  if (attempts > 0) return { kind: 'reply_lost', why: 'the reply could not be read' }
  if (isLate) {
    const advice = 'Raise `deadlineMs`: the `apiKey` function counts too.'
    return { kind: 'not_reached', why: 'the deadline passed before the first attempt', advice }
  }
  const advice = 'Check that `signal`, and the global `Request` and `AbortController`, are those of the runtime.'
  return { kind: 'unreachable', why: 'the request could not be built', advice }
}

/** What a thrown network error proves. */
export function failureOfError(error: unknown): Failure {
  try {
    return failureOf(kindOfError(error))
  } catch {
    // A getter of it threw, and what it threw may hold anything.
    return failureOf('reply_lost')
  }
}

/** The content of an error reply. */ // Spec 2.13
export function failureOfReply(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Record<string, unknown> | undefined,
  isSensitive: IsSensitive,
): Failure {
  const details = detailsOf(body)
  return {
    kind: failureOfStatus(status) ?? 'unexpected',
    why: `the reply has the status ${status}`,
    reply: {
      status,
      error: codeOf(body, isSensitive),
      details,
      fields: fieldNames(details.filter(({ field }) => !isSensitive(field))),
      retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
    },
  }
}

/** A reply body that is a JSON object, `undefined` for anything else. */
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

/** The `error` of an error reply, where it is a code, no sentence, and nothing of what was sent. */
function codeOf(body: Record<string, unknown> | undefined, isSensitive: IsSensitive): string | null {
  const code = body?.error
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code)) return null
  return isSensitive(code) ? null : code
}

/** The `details` of an error reply that have the right shape. */
function detailsOf(body: Record<string, unknown> | undefined): FieldIssue[] {
  const { details } = body ?? {}
  if (!Array.isArray(details)) return []
  return details
    .filter(each => typeof each?.field === 'string' && typeof each?.issue === 'string')
    .map(({ field, issue }) => ({ field, issue }))
}
