import type { CallName } from './call.ts'
import { maxMs } from './options.ts'

/** The ways in which one attempt can fail. */
export type FailureKind =
  /** Connection refused, host not found, connect time-out: it never reached the service. */
  | 'not_reached'
  /** The certificate is not trusted, or `fetch` refuses the port: it never reached the service, and a retry won't help. */
  | 'unreachable'
  /** `429`. */
  | 'rate_limited'
  /**
   * Reset, time-out, body cut short, `2xx` that does not parse; also a kept-alive connection that the service closes as
   * the next request goes out, because nothing shows whether that request was read.
   */
  | 'reply_lost'
  /** `5xx` except `501`, including those of proxies (`520`), and a proxy's `408`. */
  | 'unavailable'
  /** A status that doesn't say what happened: `302`, `303`, `304`. */
  | 'unexpected'
  /** `301`, `307`, `308`: the request should go elsewhere, so it was not processed here. */
  | 'redirected'
  /** `4xx` and `501`: not processed, and a repeat gets the same response. */
  | 'refused'

/** The decision after a failure: send again; stop because the outcome is unknown; stop. */
export type Verdict = 'retry' | 'unknown' | 'stop'

/**
 * The retry table. `POST /lead` is not idempotent: after a lost reply, a repeat is rejected as
 * `customer_already_exists` and the `redirect_url` is gone, so a submission is repeated only if the service cannot have
 * processed it. A repeated status costs at most a notification; a repeated pixel is `ignored`.
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

/** Looks up the decision for a call and the kind of its failure. */
export function verdictOf(call: CallName, kind: FailureKind): Verdict {
  return retryTable[kind][call === 'submitLead' ? 0 : 1]
}

/** Returns the kind of failure of a response status; undefined for a `2xx`. */
export function failureOfStatus(status: number): FailureKind | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 429) return 'rate_limited'
  if (status === 408 || (status >= 500 && status !== 501)) return 'unavailable'
  if ([301, 307, 308].includes(status)) return 'redirected'
  return status >= 400 ? 'refused' : 'unexpected'
}

/** Returns true if the service may have processed the request: only then is the outcome of a submission unknown. */
export function maybeProcessed(kind: FailureKind): boolean {
  return verdictOf('submitLead', kind) === 'unknown'
}

/** Returns true if a call with this kind of failure is sent again. */
export function mayRepeat(call: { name: CallName; retryUnknownOutcome?: boolean }, kind: FailureKind): boolean {
  return verdictOf(call.name, kind) === 'retry' && (call.retryUnknownOutcome !== false || !maybeProcessed(kind))
}

/** The longest `Retry-After` that is respected, milliseconds. */
const maxRetryAfterMs = 30_000

/** Returns the wait before the next attempt: a capped `Retry-After`, or else full jitter over 0.5 s, doubling up to 8 s. */
export function delayOf(attempt: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, maxRetryAfterMs)
  return Math.random() * Math.min(500 * 2 ** (attempt - 1), 8000)
}

/** An HTTP date in the current form or in one of the two obsolete ones, which a reader must accept (RFC 9110, 5.6.7). */
const httpDate =
  /^(\w{3}, \d\d \w{3} \d{4}|\w{6,9}, \d\d-\w{3}-\d\d) [\d:]{8} GMT$|^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/

/**
 * Returns the wait of a `Retry-After` header, milliseconds, or null if the header is neither whole seconds nor an HTTP
 * date: `Number` and `Date.parse` accept almost any text. The wait is capped at the longest of a timer, because a server
 * may send anything here.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxMs)
  // The oldest form has no zone; it is GMT too.
  const at = httpDate.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : Number.NaN
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), maxMs)
}
