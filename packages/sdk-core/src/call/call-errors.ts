import type { LeadSdkError } from '../errors/lead-sdk-error.ts'
import { AbortedError, OutcomeUnknownError } from '../errors/lost-reply-errors.ts'
import { AuthError, BadRequestError, ProtocolError, RateLimitError, ServerError } from '../errors/reply-errors.ts'
import { NotSentError } from '../errors/unsent-errors.ts'
import type { CallAttempt, CallMeta } from './call-meta.ts'
import type { ErrorReply, Failure } from './failure.ts'
import { type CallName, retryTable } from './retry-table.ts'

/** A call that ends with an error. */
export interface EndedCall {
  call: CallName
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
  const answered = { sent: 'yes', retryable: false, meta } as const
  const nothing = maybeBefore ? '' : ' Nothing was processed.'
  if (retryTable[kind][call] === 'unknown' || kind === 'reply_lost') return outcomeUnknown(ended, why)
  switch (kind) {
    case 'not_reached':
    case 'untrusted':
      if (maybeBefore) return outcomeUnknown(ended, why)
      return new NotSentError(`Nothing was sent: ${why}. Check the base URL and the network, then send it again.`, {
        sent: 'no',
        retryable: kind === 'not_reached',
        meta,
      })
    case 'rate_limited':
      if (maybeBefore) return outcomeUnknown(ended, why)
      return new RateLimitError(
        'The service asks to slow down (429). Nothing was processed; send it again later, and fewer at once.',
        { ...answered, retryable: true },
        reply?.retryAfterMs ?? null,
      )
    case 'refused':
      return reply ? refusal(ended, reply) : outcomeUnknown(ended, why)
    case 'redirected':
      return new ProtocolError(
        `The reply is a redirect (${reply?.status}), which is not followed because it would carry the key along. Correct the base URL.${nothing}`,
        answered,
      )
    case 'unexpected':
      return new ProtocolError(
        `The service does not send a reply with the status ${reply?.status}. Check the base URL.`,
        answered,
      )
    default:
      return new ServerError(`The service failed (${reply?.status}). Send it again later.`, {
        ...answered,
        retryable: true,
      })
  }
}

function outcomeUnknown({ call, meta, attempt }: EndedCall, why: string): OutcomeUnknownError {
  const advice =
    call === 'submitLead'
      ? 'The lead may exist. Do not send it again blindly: wait for its callback, or submit it with `after: error.attempt`.'
      : 'It may have been recorded. A repeat does no harm.'
  const facts = { sent: 'maybe', retryable: call !== 'submitLead', meta } as const
  return new OutcomeUnknownError(`The outcome is unknown: ${why}. ${advice}`, facts, attempt)
}

function refusal({ call, meta, maybeBefore }: FailedCall, reply: ErrorReply): LeadSdkError {
  const answered = { sent: 'yes', retryable: false, meta } as const
  const { status, error, details, fields } = reply
  if (status === 401 || status === 403) {
    const proof =
      call === 'reportEvent'
        ? 'token of the postback URL: use the URL as it was delivered with the lead'
        : `API key: it must be the ${call === 'submitLead' ? "publisher's" : "advertiser's"} own, of this environment`
    return new AuthError(`The service does not accept the ${proof} (${status}).`, answered)
  }
  if (status === 501) return new ServerError('The service does not do this (501). Check the base URL.', answered)
  const correct = details.length > 0 ? `; correct ${fields}, see \`details\`` : ''
  const nothing = maybeBefore ? '' : ' Nothing was processed.'
  const own = status === 405 ? ', and `method`' : ', and that the lead is yours'
  const check = ` Check the base URL, which ends in /api/v1${call === 'reportStatus' ? own : ''}.`
  const advice = status === 404 || status === 405 ? check : ''
  const message = `The service refused the request (${status}, ${error ?? 'no error code'})${correct}.${nothing}${advice}`
  return new BadRequestError(message, answered, error, details)
}

/** The error of a call that its signal ended. */
export function abortedError({ call, meta, attempt }: EndedCall, maybe: boolean): AbortedError {
  const facts = { sent: maybe ? 'maybe' : 'no', retryable: !maybe || call !== 'submitLead', meta } as const
  const what = maybe ? 'Its outcome is unknown: the request was under way.' : 'Nothing was processed.'
  return new AbortedError(`The call was aborted by its signal. ${what}`, facts, attempt)
}

/** The error of a call whose deadline passed before its first attempt. */
export function lateError({ meta }: EndedCall): NotSentError {
  const message = 'Nothing was sent: the `apiKey` function took longer than the deadline. Send it again.'
  return new NotSentError(message, { sent: 'no', retryable: true, meta })
}
