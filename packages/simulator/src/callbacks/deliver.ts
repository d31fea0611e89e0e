import { type Account, callbackSignatureHeaders, durationMs } from '@lead-distribution/contract'
import {
  type AttemptOutcome,
  type AttemptPorts,
  attemptCallback,
  type Clock,
  type Egress,
  type Storage,
} from '@lead-distribution/engine'
import type { Effect } from '../effects/effects.ts'
import type { FaultStore } from '../effects/faults.ts'
import { createFaultyEgress, postponementBy } from '../effects/inject-effect.ts'
import { scenarioOfLead } from '../effects/scenarios.ts'
import type { HttpEgress, ReceivedAnswer } from '../egress/guarded-egress.ts'
import { maskedAnswer, personalValues } from '../journal/masking.ts'
import type { Postponement } from '../storage/callback-tables.ts'
import type {
  FaultRecord,
  LeasedCallback,
  SandboxCallback,
  StoredAnswer,
  SyntheticCallback,
} from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { isHolding, type TenantRecord } from '../storage/tenant-record.ts'
import type { Listener } from './listener.ts'

/** The ports needed to deliver a tenant's callbacks. */
export interface CallbackContext {
  /** The tenant's current record and account. */
  readonly tenant: { readonly record: TenantRecord; readonly account: Account }
  readonly storage: Storage<SandboxTables>
  /** The tenant's clock: due times and times of attempts. */
  readonly clock: Clock
  /** Monotonic milliseconds, for the durations of attempts. */
  readonly steadyClock: Clock
  /** The clock for leases, common to all processes that share the tenant. */
  readonly leaseClock: Clock
  readonly egress: HttpEgress
  readonly faults: FaultStore
  /** Returns the tenant's keys and secrets, which a receiver's response may echo. */
  readonly secrets: () => readonly string[]
  /** The tenant's listener; callbacks go through it while one is registered. */
  readonly listener: Pick<Listener, 'room' | 'isReachable'>
  /** Loads changes made by other processes; undefined if no process shares the storage. */
  readonly refresh?: (() => Promise<void>) | undefined
}

/** The result of delivering a leased callback: postponed or attempted. */
export type CallbackResult =
  | { readonly type: 'postponed'; readonly callback: LeasedCallback; readonly postponement: Postponement }
  | {
      readonly type: 'attempted'
      readonly callback: LeasedCallback
      readonly outcome: AttemptOutcome
      /** True if the receiver, or a fault in its place, responded with any status. */
      readonly hasResponse: boolean
      /** False if another process had leased the callback by the time the attempt was recorded. */
      isRecorded: boolean
    }

/** The time that a lease outlasts the timeout of an attempt, in milliseconds. */
const leaseMarginMs = 5_000

const timeoutOf = ({ account }: CallbackContext['tenant']) => durationMs(account.settings.callback_timeout)

/** Identifies the receiver across all tenants: its host and port, or the listener. */
export function hostOf({ tenant: { record, account } }: CallbackContext): string {
  return record.listener ? `the listener of ${record.tenant}` : new URL(account.publisher.callback_url).host
}

/** Returns true if the tenant's callbacks are held, as far as this process knows. */
export function isHeld({ tenant }: CallbackContext): boolean {
  return isHolding(tenant.record)
}

/** Leases callbacks that are due by a time, at most one per lead; none while they are held. */
export async function leaseCallbacks(
  context: CallbackContext,
  tables: SandboxTables,
  due_by: number,
  limit: number,
): Promise<LeasedCallback[]> {
  if (isHeld(context)) return []
  const now = context.leaseClock.now()
  const until = now + timeoutOf(context.tenant) + leaseMarginMs
  return tables.leaseDueCallbacks({ due_by, now, until, limit: Math.min(limit, context.listener.room()) })
}

/** Returns when the next callback is due after a time; undefined if none is, or while they are held. */
export async function nextCallbackDue(
  context: CallbackContext,
  tables: SandboxTables,
  after: number | undefined,
): Promise<number | undefined> {
  return isHeld(context) ? undefined : tables.nextCallbackDue(after)
}

/** Attempts a leased callback once, or postpones it. Doesn't send it if the lease may expire during the attempt. */
export async function deliver(context: CallbackContext, callback: LeasedCallback): Promise<CallbackResult> {
  const { tenant, clock, steadyClock, leaseClock, listener, refresh } = context
  const { callback_id, due_at = 0, held, leased_until, synthetic } = callback
  const unchanged = { type: 'postponed', callback, postponement: { callback_id, due_at, held } } as const
  // Another process may have put the callbacks on hold.
  await refresh?.()
  if (isHeld(context) || !(await listener.isReachable())) return unchanged
  const fault = synthetic ? undefined : await matchFault(context, callback)
  const postponement = fault && postponementBy(fault.effect)
  if (postponement) {
    const { held, by_ms } = postponement
    return { type: 'postponed', callback, postponement: { callback_id, held, due_at: clock.now() + by_ms } }
  }
  // This process may have been paused: another one has leased the callback, or may lease it during the attempt.
  if (leaseClock.now() + timeoutOf(tenant) > leased_until) return unchanged
  const egress = fault ? createFaultyEgress(context.egress, fault) : context.egress
  const ports = {
    clock,
    realClock: steadyClock,
    egress: createHttpCallbacks(egress, callback, answer => maskAnswer(context, callback, answer)),
  }
  const outcome = await (synthetic
    ? attemptCopy(ports, tenant.account, callback, synthetic)
    : attemptCallback(ports, tenant.account, callback))
  const hasResponse = fault !== undefined || outcome.attempt.status !== undefined
  return { type: 'attempted', callback, outcome, hasResponse, isRecorded: false }
}

/** Records a result and ends the lease; does nothing if another process has leased the callback. */
export async function recordCallback(result: CallbackResult, tables: SandboxTables, now: number): Promise<void> {
  const { callback } = result
  if (result.type === 'postponed') return tables.postponeCallback(result.postponement, callback)
  result.isRecorded = await tables.recordAttempt(result.outcome, callback)
  if (result.isRecorded && !callback.synthetic) await tables.releaseReordered(callback.lead_id, now)
}

/** A well-formed secret that no tenant has. */
const foreignSecret = `whsec_${btoa('not the secret of any tenant....')}`

/** Returns the URL of a synthetic callback, with its edited query parameters. */
export function editUrl(url: string, { edit }: SyntheticCallback): string {
  const edits = Object.entries(edit ?? {})
  // Without edits, the URL must stay byte-identical.
  if (edits.length === 0) return url
  const edited = new URL(url)
  for (const [name, value] of edits) edited.searchParams.set(name, value)
  return edited.href
}

/** Returns the account and callback to send for a synthetic callback: without retries, under the id of the copied one. */
function asCopied(
  account: Account,
  callback: SandboxCallback,
  { copy_of = callback.callback_id, bad_signature }: SyntheticCallback,
): { account: Account; callback: SandboxCallback } {
  const { publisher, settings } = account
  const callback_secret = bad_signature ? foreignSecret : publisher.callback_secret
  return {
    account: {
      ...account,
      publisher: { ...publisher, callback_secret },
      settings: { ...settings, callback_retries: [] },
    },
    callback: { ...callback, callback_id: copy_of },
  }
}

/** Attempts a synthetic callback. */
async function attemptCopy(
  ports: AttemptPorts,
  own: Account,
  synthetic: SandboxCallback,
  changes: SyntheticCallback,
): Promise<AttemptOutcome> {
  const { account, callback } = asCopied(own, synthetic, changes)
  const outcome = await attemptCallback(ports, account, callback)
  return { ...outcome, callback_id: synthetic.callback_id, url: editUrl(outcome.url, changes) }
}

/**
 * Sends the engine's callbacks as HTTP requests: signs them, and counts any `2xx` as delivered (point 10 of the open
 * points).
 */
function createHttpCallbacks(
  egress: HttpEgress,
  { attempts, synthetic }: SandboxCallback,
  mask: (answer: ReceivedAnswer) => Promise<StoredAnswer>,
): Egress {
  const attempt = attempts.length + 1
  return {
    async send({ callback_id, url: unedited, at, timeoutMs, signingSecret }) {
      const url = synthetic ? editUrl(unedited, synthetic) : unedited
      const headers =
        signingSecret === undefined
          ? {}
          : await callbackSignatureHeaders({ secret: signingSecret, id: callback_id, at, url })
      const { answer, ...response } = await egress.send({ url, headers, timeoutMs, attempt })
      const { status } = response
      const delivered = status !== undefined && status >= 200 && status < 300
      return { ...response, ...(answer && { answer: await mask(answer) }), delivered }
    },
  }
}

/** Masks the account's keys and secrets in a receiver's response, and the customer's data, which the receiver may know. */
async function maskAnswer(
  { storage, secrets }: Pick<CallbackContext, 'storage' | 'secrets'>,
  { lead_id }: SandboxCallback,
  answer: ReceivedAnswer,
): Promise<StoredAnswer> {
  const mayNameCustomer = answer.text !== '' && !answer.isOwn
  const lead = mayNameCustomer ? await storage.read(tables => tables.findLead(lead_id)) : undefined
  return maskedAnswer(answer, [...secrets(), ...personalValues(lead?.submission)])
}

/** Finds the fault that acts on a callback. A callback that was postponed is exempt until its attempt. */
async function matchFault(
  { storage, faults }: Pick<CallbackContext, 'storage' | 'faults'>,
  { lead_id, held }: SandboxCallback,
): Promise<FaultRecord | undefined> {
  if (held || faults.list().length === 0) return undefined
  const findScenario = async () => {
    const lead = await storage.read(tables => tables.findLead(lead_id))
    return lead && scenarioOfLead(lead)
  }
  const reorders = (effect: Effect) => 'reorder' in effect
  // Don't also delay a callback that another one waits for: both would arrive late, and in order.
  const overtakes =
    faults.list().some(({ effect }) => reorders(effect)) &&
    (await storage.read(tables => tables.listCallbacks(lead_id))).some(other => other.held === 'reorder')
  return faults.matchFault('callback', findScenario, effect => !(overtakes && reorders(effect)))
}
