import { assertConfig } from '../errors/unsent-errors.ts'

/** The operations that a client calls. */
export type CallName = 'submitLead' | 'reportStatus' | 'reportEvent'

/** What can go wrong with one attempt. */
export type FailureKind =
  /** Refused, host not found, connect time-out: it never reached the service. */
  | 'not_reached'
  /** The certificate is not trusted, or `fetch` refuses the port: it never reached the service, and never will by itself. */
  | 'unreachable'
  /** `429`. */
  | 'rate_limited'
  /**
   * Reset, time-out, body cut short, `2xx` that does not parse; also a kept connection that the service closes just
   * as the next request goes out on it, for nothing shows whether that was read.
   */
  | 'reply_lost'
  /** `5xx` but `501`, those of proxies (`520`) included, and a proxy's `408`. */
  | 'unavailable'
  /** A status that leaves open what happened: `302`, `303`, `304`. */
  | 'unexpected'
  /** `301`, `307`, `308`: asks to send the request elsewhere, so it was not processed here. */
  | 'redirected'
  /** `4xx` and `501`: not processed, and a repeat gets the same. */
  | 'refused'

/** What to do: send again; stop, since the outcome is unknown; stop. */
export type Verdict = 'retry' | 'unknown' | 'stop'

/**
 * What is retried. `POST /lead` is not idempotent: a resend after a lost reply comes back
 * `customer_already_exists` and the `redirect_url` is gone, so it is sent again only where the service cannot
 * have processed it. A repeated status costs at most a notification; a repeated pixel is `ignored`.
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

/** The row of the table for a call that failed so. */
export function verdictOf(call: CallName, kind: FailureKind): Verdict {
  return retryTable[kind][call === 'submitLead' ? 0 : 1]
}

/** The kind of failure of a reply's status; `undefined` for a `2xx`. */
export function failureOfStatus(status: number): FailureKind | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 429) return 'rate_limited'
  if (status === 408 || (status >= 500 && status !== 501)) return 'unavailable'
  if ([301, 307, 308].includes(status)) return 'redirected'
  return status >= 400 ? 'refused' : 'unexpected'
}

/** Whether the service may have processed a request that failed so: then, and only then, a submission's outcome is unknown. */
export function maybeProcessed(kind: FailureKind): boolean {
  return verdictOf('submitLead', kind) === 'unknown'
}

/** Whether a call that failed so is sent again. */
export function mayRepeat(call: { name: CallName; retryUnknownOutcome?: boolean }, kind: FailureKind): boolean {
  return verdictOf(call.name, kind) === 'retry' && (call.retryUnknownOutcome !== false || !maybeProcessed(kind))
}

/** The longest wait of a timer, milliseconds: beyond it, a timer fires at once. ky refuses a longer one. */
export const longestMs = 2_147_483_647

/** Whether an option is a number of milliseconds from 0. */
export function isDuration(ms: unknown, longest = longestMs): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= longest
}

/** How long a client waits between attempts, milliseconds, each from 0 to 2147483647. */
export interface BackOff {
  /** Upper bound of the first wait; doubles with each attempt. The wait itself is a random part of it. Default 500. */
  minDelayMs?: number | undefined
  /** Upper bound of every wait, the first included. Default 8000, or `minDelayMs` where that is longer. */
  maxDelayMs?: number | undefined
  /** The longest `Retry-After` that is respected. Default 30000. */
  maxRetryAfterMs?: number | undefined
}

/** The waits, complete. */
export type Waits = { readonly [Wait in keyof BackOff]-?: number }

/**
 * The waits of the options, with the defaults.
 * @throws ConfigError one is no length of time, or `minDelayMs` is above `maxDelayMs`.
 */
export function resolveBackOff(backOff: BackOff = {}): Waits {
  const {
    minDelayMs = 500,
    maxDelayMs = Math.max(8000, minDelayMs),
    maxRetryAfterMs = 30_000,
  }: BackOff = Object(backOff)
  const areWaits = [minDelayMs, maxDelayMs, maxRetryAfterMs].every(ms => isDuration(ms))
  assertConfig(
    typeof backOff === 'object' && areWaits && maxDelayMs >= (backOff?.minDelayMs ?? 0),
    `\`backOff\` must be milliseconds from 0 to ${longestMs}, and \`minDelayMs\` not above \`maxDelayMs\`.`,
  )
  return { minDelayMs, maxDelayMs, maxRetryAfterMs }
}

/**
 * The wait before the next attempt: full jitter, so that many clients do not come back together, or the
 * service's own `Retry-After`, capped.
 */
export function delayOf(attempt: number, waits: Waits, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, waits.maxRetryAfterMs)
  return Math.random() * Math.min(waits.minDelayMs * 2 ** (attempt - 1), waits.maxDelayMs)
}

/** An HTTP date in the form that is sent, and in the two obsolete ones, which a reader must accept (RFC 9110, 5.6.7). */
const httpDate =
  /^(\w{3}, \d\d \w{3} \d{4}|\w{6,9}, \d\d-\w{3}-\d\d) [\d:]{8} GMT$|^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/

/**
 * Returns the wait of a `Retry-After` header, milliseconds: it carries whole seconds or an HTTP date. Null if it carries
 * neither: `Number` and `Date.parse` find something in almost any text. A wait longer than any timer is cut: a server may
 * repeat anything in this header.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestMs)
  // The oldest form names no zone; it is GMT too.
  const at = httpDate.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : Number.NaN
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), longestMs)
}
