import {
  type Account,
  callbackUrl,
  canonicalEvent,
  durationMs,
  type Settings,
  usageEvent,
} from '@lead-distribution/contract'
import type { AttemptOutcome, CallbackRecord, EventRecord } from './lead-record.ts'
import type { Clock, Ids, Tables } from './ports.ts'

/**
 * Records an event and, in the same transaction, the callback that notifies the publisher (Spec 6.2 rule 1). Returns
 * false if the event is a repeat, under either of its names (Spec 4.3 rule 3).
 */
export async function recordEvent(
  tables: Tables,
  account: Account,
  { ids, callbackFields }: { readonly ids: Ids; readonly callbackFields?: object | undefined },
  event: EventRecord,
): Promise<boolean> {
  if (!(await tables.claimEvent(event))) return false
  const name = callbackEventName(event.reported_as, account.settings.callback_event_names)
  await tables.addCallback({
    callback_id: await ids.callback(),
    lead_id: event.lead_id,
    event: name,
    url: callbackUrl(account.publisher.callback_url, event.lead_id, name),
    state: 'pending',
    attempts: [],
    // Due immediately, even on a frozen clock.
    due_at: event.recorded_at,
    ...callbackFields,
  })
  return true
}

/** Returns the event name in a callback (Spec 6.1, 6.2; point 6 of the open points). */
export function callbackEventName(reportedAs: string, names: Settings['callback_event_names']): string {
  if (names === 'as_reported') return reportedAs
  return names === 'usage' ? usageEvent(reportedAs) : canonicalEvent(reportedAs)
}

/** One attempt of a callback. Its URL carries `lead_id` and `event`, and no other data of the lead. */
export interface OutboundCallback {
  readonly callback_id: string
  readonly url: string
  /** The time of the attempt, in milliseconds since 1970 on the tenant's clock. */
  readonly at: number
  /** Time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number
  /** The signing secret, if the tenant signs its callbacks (point 14 of the open points). */
  readonly signingSecret?: string
}

/** The result of an attempt. Further fields that an egress adds are stored with the attempt. */
export interface EgressResult {
  /** True if the receiver accepted the callback (point 10 of the open points). */
  readonly delivered: boolean
  readonly status?: number
  readonly error?: string
}

/** The service's only egress. Never throws: a failure is a result. */
export interface Egress {
  send(callback: OutboundCallback): Promise<EgressResult>
}

export interface AttemptPorts {
  readonly egress: Egress
  /** The tenant's clock, for the times of this attempt and the next. */
  readonly clock: Clock
  /** Real time, for the duration of the attempt. */
  readonly realClock: Clock
}

/** Attempts a callback once. Returns the attempt to record, and the time when the next one is due (points 9 and 10). */
export async function attemptCallback(
  { clock, realClock, egress }: AttemptPorts,
  { settings, publisher }: Account,
  { callback_id, lead_id, event, attempts, resent_after = 0 }: CallbackRecord,
): Promise<AttemptOutcome> {
  const at = clock.now()
  const start = realClock.now()
  const url = callbackUrl(publisher.callback_url, lead_id, event)
  const { delivered, ...report } = await egress.send({
    callback_id,
    url,
    at,
    timeoutMs: durationMs(settings.callback_timeout),
    ...(settings.callback_signature === 'none' ? {} : { signingSecret: publisher.callback_secret }),
  })
  const attempt = { at, ...report, ms: realClock.now() - start }
  if (delivered) return { callback_id, url, attempt, state: 'delivered' }
  // After a requeue during an attempt, that attempt counts too, although it may never have been recorded.
  const retry = settings.callback_retries[Math.max(0, attempts.length - resent_after)]
  return retry === undefined
    ? { callback_id, url, attempt, state: 'failed' }
    : { callback_id, url, attempt, state: 'pending', due_at: clock.now() + durationMs(retry) }
}
