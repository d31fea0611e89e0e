import type { ErrorFacts, LeadSdkError } from '../errors/lead-sdk-error.ts'
import { AbortedError, OutcomeUnknownError } from '../errors/lost-reply-errors.ts'
import { AuthError, BadRequestError, ProtocolError, RateLimitError, ServerError } from '../errors/reply-errors.ts'
import { NotSentError } from '../errors/unsent-errors.ts'
import type { Call } from './call.ts'
import type { CallAttempt, CallMeta } from './call-meta.ts'
import type { ErrorReply, Failure } from './failure.ts'
import { verdictOf } from './retry.ts'

/** A call that ends with an error. */
export interface EndedCall {
  call: Pick<Call, 'name' | 'credential' | 'alsoCheck'>
  meta: CallMeta
  attempt: CallAttempt
}

/** A call whose last attempt failed. */
export interface FailedCall extends EndedCall {
  failure: Failure
  /** Whether an earlier attempt of this call may have been processed. */
  maybeBefore: boolean
}

/** The error that a call ends with once nothing is left to try. */
export function errorOfFailure(ended: FailedCall): LeadSdkError {
  const { call, failure, maybeBefore, meta } = ended
  const { kind, why, reply } = failure
  const nothingProcessed = !reply || kind === 'rate_limited'
  if (verdictOf(call.name, kind) === 'unknown' || kind === 'reply_lost' || (maybeBefore && nothingProcessed))
    return outcomeUnknown(ended)
  if (!reply) {
    const retryable = kind === 'not_reached'
    const usual = retryable
      ? 'Send it again; if it stays so, check that the service runs at the base URL.'
      : 'Check the base URL.'
    return new NotSentError(`Nothing was sent: ${why}. ${failure.advice ?? usual}`, { sent: 'no', retryable, meta })
  }
  const { status } = reply
  const facts: ErrorFacts = { sent: 'yes', retryable: kind === 'rate_limited' || kind === 'unavailable', meta }
  const nothing = maybeBefore ? '' : ' Nothing was processed.'
  switch (kind) {
    case 'rate_limited':
      return new RateLimitError(
        `The service asks to slow down (${status}).${nothing} Send it again later, and fewer at once.`,
        facts,
        reply.retryAfterMs,
      )
    case 'unavailable':
      return new ServerError(`The service failed (${status}). Send it again later.`, facts)
    case 'redirected':
    case 'unexpected':
      // A redirect is not followed: it would carry the key along.
      return new ProtocolError(`The service sends no such reply (${status}). Check the base URL.`, facts)
    default:
      return refusal(call, reply, facts, nothing)
  }
}

function outcomeUnknown({ call, meta, attempt, failure }: FailedCall): OutcomeUnknownError {
  const retryable = call.name !== 'submitLead'
  const advice = retryable
    ? 'It may have been recorded. A repeat does no harm.'
    : 'The lead may exist. Wait for its callback, or submit it with `previousAttempt: error.attempt`.'
  const message = `The outcome is unknown: ${failure.why}. ${advice}`
  return new OutcomeUnknownError(message, { sent: 'maybe', retryable, meta }, attempt)
}

function refusal(call: EndedCall['call'], reply: ErrorReply, facts: ErrorFacts, nothing: string): LeadSdkError {
  const { status, error, details, fields } = reply
  if (status === 401 || status === 403) {
    const { credential = 'API key: it must be your own, of this environment' } = call
    return new AuthError(`The service does not accept the ${credential} (${status}).`, facts)
  }
  if (status === 501) return new ServerError(`The service does not do this (${status}). Check the base URL.`, facts)
  const correct = details.length > 0 ? `; correct ${fields}, see \`details\`` : ''
  const also = call.alsoCheck?.(status) ?? ''
  const advice = status === 404 || status === 405 ? ` Check the base URL, which ends in /api/v1${also}.` : ''
  const message = `The service refused the request (${status}, ${error ?? 'no error code'})${correct}.${nothing}${advice}`
  return new BadRequestError(message, facts, error, details)
}

/** The error of a call that its signal ended. */
export function abortedError({ call, meta, attempt }: EndedCall, maybe: boolean): AbortedError {
  const facts = { sent: maybe ? 'maybe' : 'no', retryable: !maybe || call.name !== 'submitLead', meta } as const
  const what = maybe ? 'Its outcome is unknown.' : 'Nothing was processed.'
  return new AbortedError(`The call was aborted by its signal. ${what}`, facts, attempt)
}
