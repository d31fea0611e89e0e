import { type Account, callbackSignatureHeaders, durationMs } from '@lead-distribution/contract'
import {
  type AttemptOutcome,
  type Clock,
  type Egress,
  type Storage,
  type TryPorts,
  tryCallback,
} from '@lead-distribution/engine'
import type { Effect } from '../effects/effects.ts'
import type { FaultStore } from '../effects/faults.ts'
import { createFaultyEgress, postponementBy } from '../effects/inject-effect.ts'
import { scenarioOfLead } from '../effects/scenarios.ts'
import type { HttpEgress, ReceivedAnswer } from '../egress/guarded-egress.ts'
import { keptAnswer, personalValues } from '../journal/masking.ts'
import type {
  FaultRecord,
  KeptAnswer,
  LeasedCallback,
  Postponement,
  SandboxCallback,
  SyntheticCallback,
} from '../storage/records.ts'
import type { Lease, SandboxTables } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import type { Listener } from './listener.ts'

export interface DeliveryOptions {
  readonly storage: Storage<SandboxTables>
  /** The tenant's clock: due times and times of attempts. */
  readonly clock: Clock
  /** Monotonic milliseconds, for the durations of attempts. */
  readonly steadyClock: Clock
  /** The clock of leases. Default: this process's own. */
  readonly leaseClock?: Clock | undefined
  readonly egress: HttpEgress
  readonly faults: FaultStore
  readonly account: () => Account
  /** Returns the keys and secrets of the tenant, which an answer may repeat. */
  readonly secrets: () => readonly string[]
  /** Returns true if the tenant's callbacks are held, as far as this process knows. */
  readonly isHeld: () => boolean
  /** The listener of the tenant; callbacks go through it while there is one. */
  readonly listener: Pick<Listener, 'room' | 'isReachable'>
  /** The name of the receiver among those of all tenants: its host and port, or the listener. */
  readonly host: () => string
  /** Takes over what other processes changed, if there are others. */
  readonly refresh?: (() => Promise<void>) | undefined
  /** Called after a try of a callback that is not synthetic was recorded; `callback` is as it was before. */
  readonly onAttempt: (outcome: AttemptOutcome, callback: SandboxCallback) => void
}

export interface Attempt {
  /** True if the receiver responded, whatever its status was. */
  readonly responded: boolean
  /**
   * Records the try and ends the lease; nothing if the callback has another lease by then. Returns true if a try was
   * recorded: a callback that is postponed was not tried.
   */
  record(tables: SandboxTables): Promise<boolean>
  /** Called once that transaction is committed. */
  onRecorded(): void
}

export interface Delivery {
  /** Returns the host and port of the publisher's callback URL, or the name of the listener. */
  host(): string
  isHeld(): boolean
  /** Leases callbacks that are due by a time, at most one of a lead at a time; none while they are held. */
  lease(tables: SandboxTables, due_by: number, limit: number): Promise<LeasedCallback[]>
  /** Returns when the next callback is due after a time; undefined if none is, or while they are held. */
  nextDue(tables: SandboxTables, after: number | undefined): Promise<number | undefined>
  /** Tries a leased callback once, or postpones it. One whose lease may end during the try is not sent. */
  attempt(callback: LeasedCallback): Promise<Attempt>
}

/** The time after which a leased callback must not be sent anymore, milliseconds. */
const leaseMarginMs = 5_000

export function createDelivery(options: DeliveryOptions): Delivery {
  const {
    clock,
    steadyClock,
    leaseClock = steadyClock,
    egress,
    account,
    isHeld,
    host,
    listener,
    refresh,
    onAttempt,
  } = options
  const timeoutMs = () => durationMs(account().settings.callback_timeout)
  return {
    host,
    isHeld,
    nextDue: async (tables, after) => (isHeld() ? undefined : tables.nextCallbackDue(after)),
    async lease(tables, due_by, limit) {
      if (isHeld()) return []
      const now = leaseClock.now()
      const until = now + timeoutMs() + leaseMarginMs
      return tables.leaseDueCallbacks({ due_by, now, until, limit: Math.min(limit, listener.room()) })
    },
    async attempt(callback) {
      const { callback_id, lead_id, due_at = 0, held, leased_until } = callback
      // Callbacks that were held before, by any process, are not sent.
      await refresh?.()
      if (isHeld() || !(await listener.isReachable())) return postpone({ callback_id, due_at, held }, callback)
      const { synthetic } = callback
      const fault = synthetic ? undefined : await matchFault(options, callback)
      const postponement = fault && postponementBy(fault.effect)
      if (postponement) {
        const { held, by_ms } = postponement
        return postpone({ callback_id, held, due_at: clock.now() + by_ms }, callback)
      }
      // This process may have stood still: another one has the callback by then, or is going to have it during the try.
      if (leaseClock.now() + timeoutMs() > leased_until) return postpone({ callback_id, due_at, held }, callback)
      const way = fault ? createFaultyEgress(egress, fault) : egress
      const sent = createHttpCallbacks(way, callback, answer => keepAnswer(options, callback, answer))
      const ports = { clock, realClock: steadyClock, egress: sent }
      const outcome = await (synthetic
        ? tryCopy(ports, account(), callback, synthetic)
        : tryCallback(ports, account(), callback))
      let isRecorded = false
      return {
        responded: fault !== undefined || outcome.attempt.status !== undefined,
        async record(tables) {
          isRecorded = await tables.recordAttempt(outcome, callback)
          if (isRecorded && !synthetic) await tables.releaseReordered(lead_id, clock.now())
          return isRecorded
        },
        onRecorded: () => isRecorded && !synthetic && onAttempt(outcome, callback),
      }
    },
  }
}

/** A well-formed secret that no tenant has. */
const foreignSecret = `whsec_${btoa('not the secret of any tenant....')}`

/** Returns the URL of a synthetic callback: the parameters of its query that it edits are others. */
export function editUrl(url: string, { edit }: SyntheticCallback): string {
  const edits = Object.entries(edit ?? {})
  // Unedited, it is the same to the byte.
  if (edits.length === 0) return url
  const edited = new URL(url)
  for (const [name, value] of edits) edited.searchParams.set(name, value)
  return edited.href
}

/** Returns the account and the callback by which a synthetic one is sent: once, and as the recorded one that it copies. */
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

/** Tries a synthetic callback. */
async function tryCopy(
  ports: TryPorts,
  own: Account,
  synthetic: SandboxCallback,
  changes: SyntheticCallback,
): Promise<AttemptOutcome> {
  const { account, callback } = asCopied(own, synthetic, changes)
  const outcome = await tryCallback(ports, account, callback)
  return { ...outcome, callback_id: synthetic.callback_id, url: editUrl(outcome.url, changes) }
}

/** Sends the engine's callbacks as HTTP requests: signs them, and counts any `2xx` as delivered (point 10 of the open points). */
function createHttpCallbacks(
  egress: HttpEgress,
  { attempts, synthetic }: SandboxCallback,
  keep: (answer: ReceivedAnswer) => Promise<KeptAnswer>,
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
      return { ...response, ...(answer && { answer: await keep(answer) }), delivered }
    },
  }
}

/** Masks a receiver's answer: keys and secrets of the account, and the customer's data, which the receiver may know. */
async function keepAnswer(
  { storage, secrets }: Pick<DeliveryOptions, 'storage' | 'secrets'>,
  { lead_id }: SandboxCallback,
  answer: ReceivedAnswer,
): Promise<KeptAnswer> {
  const mayNameCustomer = answer.text !== '' && !answer.isOwn
  const lead = mayNameCustomer ? await storage.read(tables => tables.findLead(lead_id)) : undefined
  return keptAnswer(answer, [...secrets(), ...personalValues(lead?.submission)])
}

function postpone(postponement: Postponement, leased: Lease): Attempt {
  return {
    responded: true,
    async record(tables) {
      await tables.postponeCallback(postponement, leased)
      return false
    },
    onRecorded: () => undefined,
  }
}

/** Finds the fault that acts on a callback. None acts again on a callback that was postponed and not tried yet. */
async function matchFault(
  { storage, faults }: Pick<DeliveryOptions, 'storage' | 'faults'>,
  { lead_id, held }: SandboxCallback,
): Promise<FaultRecord | undefined> {
  if (held || faults.list().length === 0) return undefined
  const findScenario = async () => {
    const lead = await storage.read(tables => tables.findLead(lead_id))
    return lead && scenarioOfLead(lead)
  }
  const reorders = (effect: Effect) => 'reorder' in effect
  // A callback that another one waits for is not delayed too: both would come late, and in order.
  const overtakes =
    faults.list().some(({ effect }) => reorders(effect)) &&
    (await storage.read(tables => tables.listCallbacks(lead_id))).some(other => other.held === 'reorder')
  return faults.matchFault('callback', findScenario, effect => !(overtakes && reorders(effect)))
}

export interface DeliveryLimits {
  /** The most deliveries of all tenants. */
  readonly total: number
  /** The most deliveries to one host and port. */
  readonly perHost: number
  /** The number of deliveries without a response in a row after which a host rests. */
  readonly unanswered: number
  /** The pause of a host, milliseconds of real time. */
  readonly restMs: number
  /** The most hosts whose deliveries without a response are counted. */
  readonly hosts: number
}

/** A single tenant gets 64 slots. At 128 tries a second, a dead host took a seventh of the rate of `POST /lead`. */
const defaultLimits: DeliveryLimits = { total: 256, perHost: 128, unanswered: 64, restMs: 2_000, hosts: 1_000 }

/** The slots of all tenants, which bound the deliveries in flight. */
export interface DeliverySlots {
  /** Returns one tenant's view of the slots. `onFree` is called once slots it waits for are free. */
  of(onFree: () => void): TenantSlots
}

export interface TenantSlots {
  /** Takes slots for a host and returns how many: at most as many as stay free, for other receivers. */
  take(host: string): number
  /** Calls `onFree` when slots for the host are free. */
  wait(host: string): void
  /** Gives back slots that were not used. */
  giveBack(host: string, count: number): void
  /** Gives back the slot of a delivery that has ended, with a response or without. */
  end(host: string, responded: boolean): void
}

interface Host {
  taken: number
  unanswered: number
  resting: boolean
}

export function createDeliverySlots(timer: Timer, limits = defaultLimits): DeliverySlots {
  const hosts = new Map<string, Host>()
  const waiting = new Map<object, { isFree: () => boolean; onFree: () => void }>()
  let taken = 0

  const hostOf = (name: string): Host => hosts.get(name) ?? { taken: 0, unanswered: 0, resting: false }

  function free(name: string, own: number): number {
    const host = hostOf(name)
    const left = Math.min(limits.perHost - host.taken, limits.total - taken)
    return host.resting ? 0 : Math.max(0, Math.ceil((left - own) / 2))
  }

  function change(name: string, changed: Partial<Host>): void {
    const host = { ...hostOf(name), ...changed }
    taken += host.taken - hostOf(name).taken
    // The host that changed last is the last one.
    hosts.delete(name)
    if (host.taken > 0 || host.unanswered > 0 || host.resting) hosts.set(name, host)
    if (hosts.size > limits.hosts) forgetIdle()
  }

  function forgetIdle(): void {
    for (const [name, { taken, resting }] of hosts) if (taken === 0 && !resting) return void hosts.delete(name)
  }

  function wakeWaiting(): void {
    for (const [tenant, { isFree, onFree }] of waiting) {
      if (!isFree()) continue
      waiting.delete(tenant)
      onFree()
    }
  }

  function rest(name: string): void {
    change(name, { resting: true })
    timer.after(limits.restMs, () => {
      change(name, { resting: false, unanswered: 0 })
      wakeWaiting()
    })
  }

  return {
    of(onFree) {
      const tenant = {}
      let own = 0
      return {
        take(host) {
          const count = free(host, own)
          own += count
          change(host, { taken: hostOf(host).taken + count })
          return count
        },
        wait: host => void waiting.set(tenant, { isFree: () => free(host, own) > 0, onFree }),
        giveBack(host, count) {
          if (count === 0) return
          own -= count
          change(host, { taken: hostOf(host).taken - count })
          wakeWaiting()
        },
        end(host, responded) {
          const { unanswered, resting } = hostOf(host)
          const inRow = responded ? 0 : unanswered + 1
          change(host, { unanswered: inRow })
          if (inRow >= limits.unanswered && !resting) rest(host)
          this.giveBack(host, 1)
        },
      }
    },
  }
}
