import { AuthError } from '../errors/auth-error.ts'
import { BadRequestError } from '../errors/bad-request-error.ts'
import type { LeadSdkError } from '../errors/lead-sdk-error.ts'
import { NotSentError } from '../errors/not-sent-error.ts'
import { OutcomeUnknownError } from '../errors/outcome-unknown-error.ts'
import { ProtocolError } from '../errors/protocol-error.ts'
import { RateLimitError } from '../errors/rate-limit-error.ts'
import { ServerError } from '../errors/server-error.ts'
import type { CallAttempt } from './call-attempt.ts'
import type { CallMeta } from './call-meta.ts'
import type { Failure } from './failure.ts'
import { type CallName, retryTable } from './retry-table.ts'

/** What the fault of a call is made from. */
export interface LostCall {
  call: CallName
  failure: Failure
  /** Whether an earlier attempt of this call may have been processed. */
  maybeBefore: boolean
  meta: CallMeta
  attempt: CallAttempt
}

/** The fault that a call ends with once nothing is left to try. */
export function errorOfFailure({ call, failure, maybeBefore, meta, attempt }: LostCall): LeadSdkError {
  const { kind, why, status } = failure
  const answered = { sent: 'yes', retryable: false, meta } as const
  const nothing = maybeBefore ? '' : ' Nothing was processed.'
  if (retryTable[kind][call] === 'unknown' || kind === 'reply_lost') return unknown()
  switch (kind) {
    case 'not_reached':
    case 'untrusted':
      if (maybeBefore) return unknown()
      return new NotSentError(`Nothing was sent: ${why}. Check the base URL and the network, then send it again.`, {
        sent: 'no',
        retryable: kind === 'not_reached',
        meta,
      })
    case 'rate_limited':
      if (maybeBefore) return unknown()
      return new RateLimitError(
        'The service asks to slow down (429). Nothing was processed; send it again later, and fewer at once.',
        { ...answered, retryable: true },
        failure.retryAfterMs,
      )
    case 'refused':
      return refusal()
    case 'redirected':
      return new ProtocolError(
        `The reply is a redirect (${status}), which is not followed because it would carry the key along. Correct the base URL.${nothing}`,
        answered,
      )
    case 'unexpected':
      return new ProtocolError(`${sentence(why)}, which the service does not send. Check the base URL.`, answered)
    default:
      return new ServerError(`The service failed (${status}). Send it again later.`, { ...answered, retryable: true })
  }

  function unknown() {
    const advice =
      call === 'submitLead'
        ? 'The lead may exist. Do not send it again blindly: wait for its callback, or submit it with `after: error.attempt`.'
        : 'It may have been recorded. A repeat does no harm.'
    const facts = { sent: 'maybe', retryable: call !== 'submitLead', meta } as const
    return new OutcomeUnknownError(`The outcome is unknown: ${why}. ${advice}`, facts, attempt)
  }

  function refusal() {
    if (status === 401 || status === 403) {
      const proof =
        call === 'reportEvent'
          ? 'token of the postback URL: use the URL as it was delivered with the lead'
          : `API key: it must be the ${call === 'submitLead' ? "publisher's" : "advertiser's"} own, of this environment`
      return new AuthError(`The service does not accept the ${proof} (${status}).`, answered)
    }
    if (status === 501) return new ServerError('The service does not do this (501). Check the base URL.', answered)
    const code = failure.error ?? 'no error code'
    const fields = failure.details.length > 0 ? `; correct ${failure.fields}, see \`details\`` : ''
    const own = status === 405 ? ', and `method`' : ', and that the lead is yours'
    const check = ` Check the base URL, which ends in /api/v1${call === 'reportStatus' ? own : ''}.`
    const advice = status === 404 || status === 405 ? check : ''
    return new BadRequestError(
      `The service refused the request (${status}, ${code})${fields}.${nothing}${advice}`,
      answered,
      failure.error,
      failure.details,
    )
  }
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
