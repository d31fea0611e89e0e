import { callbackUrl } from '@lead-distribution/contract'
import type { Account } from '../account.ts'
import { durationMs } from '../duration.ts'
import type { Clock } from '../ports.ts'
import type { AttemptOutcome, CallbackRecord } from './callback-record.ts'

/** One try of a callback. It carries `lead_id` and `event` in its URL and nothing else of a lead. */
export interface OutboundCallback {
  readonly callback_id: string
  readonly url: string
  /** The time of the try, milliseconds since 1970 on the tenant's clock. */
  readonly at: number
  /** How long the whole exchange may take, milliseconds. */
  readonly timeoutMs: number
  /** The secret to sign it with, where the tenant signs its callbacks (point 14 of the open points). */
  readonly signingSecret?: string
}

/** How a try ended. Whatever else an egress adds to it is stored with the try. */
export interface EgressResult {
  /** Whether the receiver took it (point 10 of the open points). */
  readonly delivered: boolean
  readonly status?: number
  readonly error?: string
}

/** The one egress of the service. Never throws: a failure is a result. */
export interface Egress {
  send(callback: OutboundCallback): Promise<EgressResult>
}

/** What a try of a callback works on. */
export interface TryPorts {
  readonly egress: Egress
  /** The tenant's clock, for the time of the try and of the next one. */
  readonly clock: Clock
  /** Real time, for how long the try takes. */
  readonly realClock: Clock
}

/** Tries a callback once: what to record of the try, and when the next one is due (points 9 and 10). */
export async function tryCallback(
  { clock, realClock, egress }: TryPorts,
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
  const retry = settings.callback_retries[attempts.length - resent_after]
  return retry === undefined
    ? { callback_id, url, attempt, state: 'failed' }
    : { callback_id, url, attempt, state: 'pending', due_at: clock.now() + durationMs(retry) }
}
