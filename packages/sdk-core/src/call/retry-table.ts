/** The operations that a client calls. */
export type CallName = 'submitLead' | 'reportStatus' | 'reportEvent'

/** What can go wrong with one attempt. */
export type FailureKind =
  /** Refused, host not found, connect time-out: it never reached the service. */
  | 'not_reached'
  /** The certificate is not trusted: it never reached the service, and never will by itself. */
  | 'untrusted'
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
 * have processed it. A repeated status costs at most a notification; a repeated pixel is `ignored` (Spec 4.3).
 */
const retryTable: Record<FailureKind, readonly [submission: Verdict, report: Verdict]> = {
  not_reached: ['retry', 'retry'],
  rate_limited: ['retry', 'retry'],
  reply_lost: ['unknown', 'retry'],
  unavailable: ['unknown', 'retry'],
  unexpected: ['unknown', 'stop'],
  untrusted: ['stop', 'stop'],
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
export function mayRepeat(call: { name: CallName; repeatUnknown?: boolean }, kind: FailureKind): boolean {
  return verdictOf(call.name, kind) === 'retry' && (call.repeatUnknown !== false || !maybeProcessed(kind))
}
