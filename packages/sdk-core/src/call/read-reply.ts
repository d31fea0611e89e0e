import { fieldNames } from '../errors/field-names.ts'
import { parseRetryAfter } from './back-off.ts'
import type { Answer, Call } from './call.ts'
import type { Echo } from './echo.ts'
import type { Exchanged } from './exchange.ts'
import type { Failure } from './failure.ts'
import { errorCode, errorDetails, jsonObject } from './reply-body.ts'
import { failureOfStatus } from './retry-table.ts'

/** Reads what one request came to: an outcome, or a failure. */
export function readReply(
  exchanged: Exclude<Exchanged, { aborted: true }>,
  { answers }: Pick<Call, 'answers'>,
  echo: Echo,
): Answer | Failure {
  if ('failure' in exchanged) {
    const { failure, why } = exchanged
    return { kind: failure, why, status: null, error: null, details: [], fields: '', retryAfterMs: null }
  }
  const { status, headers, text } = exchanged
  const body = jsonObject(text)
  const kind = failureOfStatus(status)
  if (body && (kind === undefined || answers?.(status, body))) return { status, body }
  const details = errorDetails(body)
  return {
    kind: kind ?? 'reply_lost',
    why: kind ? `the reply has the status ${status}` : `the reply (${status}) is not the JSON that the service sends`,
    status,
    error: errorCode(body, echo),
    details,
    fields: fieldNames(details.filter(({ field }) => !echo(field))),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
  }
}
