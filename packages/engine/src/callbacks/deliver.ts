import { callbackSignatureHeaders, callbackUrl } from '@lead-distribution/contract'
import type { Account } from '../account/account.ts'
import { durationMs } from '../duration.ts'
import type { Clock } from '../ports/clock.ts'
import type { Egress } from '../ports/egress.ts'
import type { AttemptOutcome, Storage } from '../ports/storage.ts'
import type { CallbackRecord } from './callback-record.ts'

/** What delivering needs of the world. */
export interface DeliveryPorts {
  readonly storage: Storage
  /** The tenant's clock: due times and times of tries are its. */
  readonly clock: Clock
  /** Real time: leases and durations of tries are its. */
  readonly realClock: Clock
  readonly egress: Egress
  /** Told of each try when it is recorded; `callback` is as it was before. */
  readonly onTried?: (outcome: AttemptOutcome, callback: CallbackRecord) => void
}

const leaseMarginMs = 5_000
const batchSize = 16

/** Sends all callbacks that are due, at most one of a lead at a time. Answers how many there were, tried or put off. */
export async function deliverDue(ports: DeliveryPorts, account: Account): Promise<number> {
  const now = ports.realClock.now()
  const until = now + durationMs(account.settings.callback_timeout) + leaseMarginMs
  const due_by = ports.clock.now()
  const due = await ports.storage.transact(tables => tables.leaseDueCallbacks({ due_by, now, until, limit: batchSize }))
  await Promise.all(due.map(callback => deliver(ports, account, callback)))
  return due.length
}

async function deliver(ports: DeliveryPorts, account: Account, callback: CallbackRecord): Promise<void> {
  const { clock, realClock, egress, storage } = ports
  const { settings, publisher } = account
  const { callback_id, lead_id, event } = callback
  const at = clock.now()
  const url = callbackUrl(publisher.callback_url, lead_id, event)
  const signed = settings.callback_signature === 'standard_webhooks'
  const headers = signed
    ? await callbackSignatureHeaders({ secret: publisher.callback_secret, id: callback_id, at, url })
    : {}
  const start = realClock.now()
  const reply = await egress.send({ url, headers, timeoutMs: durationMs(settings.callback_timeout) }, callback)
  if ('held' in reply) {
    const postponement = { callback_id, held: reply.held, due_at: clock.now() + reply.by_ms }
    return storage.transact(tables => tables.postponeCallback(postponement))
  }
  const attempt = { at, ...reply, ms: realClock.now() - start }
  const delivered = reply.status !== undefined && reply.status >= 200 && reply.status < 300
  const retry = settings.callback_retries[callback.attempts.length - (callback.resent_after ?? 0)]
  const outcome: AttemptOutcome = delivered
    ? { callback_id, url, attempt, state: 'delivered' }
    : retry === undefined
      ? { callback_id, url, attempt, state: 'failed' }
      : { callback_id, url, attempt, state: 'pending', due_at: clock.now() + durationMs(retry) }
  await storage.transact(async tables => {
    await tables.recordAttempt(outcome)
    await tables.releaseReordered(lead_id, clock.now())
  })
  ports.onTried?.(outcome, callback)
}
