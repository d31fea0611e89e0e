import type { CallName } from './call.ts'
import { maxMs } from './options.ts'

/** The kinds of failure of one attempt. */
export type FailureKind =
  /** Connection refused, host not found, connect time-out: the request never reached the service. */
  | 'not_reached'
  /**
   * The certificate is not trusted, or `fetch` blocks the port: the request never reached the service, and a retry
   * won't help.
   */
  | 'unreachable'
  /** `429`. */
  | 'rate_limited'
  /**
   * Reset, time-out, truncated body, or `2xx` that does not parse. Also a kept-alive connection that the service closes
   * as the next request is sent: nothing shows whether that request was read.
   */
  | 'reply_lost'
  /** `5xx` except `501`, including those of proxies (`520`), and a proxy's `408`. */
  | 'unavailable'
  /** A status that doesn't tell if the request was processed: `302`, `303`, `304`. */
  | 'unexpected'
  /** `301`, `307`, `308`: the request belongs elsewhere, so it was not processed here. */
  | 'redirected'
  /** `4xx` and `501`: not processed, and a retry gets the same response. */
  | 'refused'

/** The decision after a failure: retry; stop because the outcome is unknown; stop. */
export type Verdict = 'retry' | 'unknown' | 'stop'

/**
 * The retry table. `POST /lead` is not idempotent: after a lost reply, a retry is rejected as `customer_already_exists`
 * and the `redirect_url` is lost. So a submission is retried only if the service cannot have processed it. A repeated
 * status costs at most one notification; a repeated pixel is `ignored`.
 */ // Spec 4.3
const retryTable: Record<FailureKind, readonly [submission: Verdict, report: Verdict]> = {
  not_reached: ['retry', 'retry'],
  rate_limited: ['retry', 'retry'],
  reply_lost: ['unknown', 'retry'],
  unavailable: ['unknown', 'retry'],
  unexpected: ['unknown', 'stop'],
  unreachable: ['stop', 'stop'],
  redirected: ['stop', 'stop'],
  refused: ['stop', 'stop'],
}

/** Returns the decision for a call after a kind of failure. */
export function verdictOf(call: CallName, kind: FailureKind): Verdict {
  return retryTable[kind][call === 'submitLead' ? 0 : 1]
}

/** Returns the failure kind of a response status; undefined for a `2xx`. */
export function failureOfStatus(status: number): FailureKind | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 429) return 'rate_limited'
  if (status === 408 || (status >= 500 && status !== 501)) return 'unavailable'
  if ([301, 307, 308].includes(status)) return 'redirected'
  return status >= 400 ? 'refused' : 'unexpected'
}

/** Returns true if the service may have processed the request. Only then is a submission's outcome unknown. */
export function maybeProcessed(kind: FailureKind): boolean {
  return verdictOf('submitLead', kind) === 'unknown'
}

/** Returns true if a call is retried after this kind of failure. */
export function mayRepeat(call: { name: CallName; retryUnknownOutcome?: boolean }, kind: FailureKind): boolean {
  return verdictOf(call.name, kind) === 'retry' && (call.retryUnknownOutcome !== false || !maybeProcessed(kind))
}

/** The cap on `Retry-After`, in milliseconds. */
const maxRetryAfterMs = 30_000

/**
 * Returns the delay before the next attempt: a capped `Retry-After`, or else full jitter over 0.5 s, doubling up to 8
 * s.
 */
export function delayOf(attempt: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, maxRetryAfterMs)
  return Math.random() * Math.min(500 * 2 ** (attempt - 1), 8000)
}

/**
 * An HTTP date in the current format or one of the two obsolete ones, which recipients must accept (RFC 9110, 5.6.7).
 */
const httpDate =
  /^(\w{3}, \d\d \w{3} \d{4}|\w{6,9}, \d\d-\w{3}-\d\d) [\d:]{8} GMT$|^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/

/**
 * Returns the delay of a `Retry-After` header, in milliseconds, or null if the header is neither whole seconds nor an
 * HTTP date: `Number` and `Date.parse` accept almost any text. Capped at the maximum of a timer, because a server may
 * send anything here.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxMs)
  // The oldest format has no zone; it is GMT too.
  const at = httpDate.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : Number.NaN
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), maxMs)
}
