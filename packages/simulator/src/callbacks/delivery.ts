import {
  type Account,
  type AttemptOutcome,
  type Clock,
  durationMs,
  type Storage,
  tryCallback,
} from '@lead-distribution/engine'
import type { FaultStore } from '../faults/fault-store.ts'
import { createFaultyEgress, postponementBy } from '../faults/inject-fault.ts'
import { scenarioOfLead } from '../faults/scenarios.ts'
import type { HttpEgress } from '../never-distribute/guarded-egress.ts'
import type { FaultEffect, FaultRecord, Postponement, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import { createHttpCallbacks } from './egress.ts'

/** What the delivery of a tenant's callbacks works on. */
export interface DeliveryOptions {
  readonly storage: Storage<SandboxTables>
  /** The tenant's clock: due times and times of tries. */
  readonly clock: Clock
  /** Real time that nobody sets: durations of tries. */
  readonly steadyClock: Clock
  /** What leases run on, where it is not this process's own. */
  readonly leaseClock?: Clock | undefined
  readonly egress: HttpEgress
  readonly faults: FaultStore
  readonly account: () => Account
  /** Whether the callbacks of the tenant are held, as this process knows it. */
  readonly isHeld: () => boolean
  /** Takes over what other processes changed, where there are others. */
  readonly refresh?: (() => Promise<void>) | undefined
  /** Called after a try was recorded; `callback` is as it was before. */
  readonly onAttempt: (outcome: AttemptOutcome, callback: SandboxCallback) => void
}

/** What came of a leased callback. */
export interface Attempt {
  /** Whether the receiver responded, whatever its status was. */
  readonly responded: boolean
  /** Records the try and ends the lease. */
  record(tables: SandboxTables): Promise<void>
  /** Called once that is stored. */
  onRecorded(): void
}

/** Delivers a tenant's callbacks. */
export interface Delivery {
  /** Where the callbacks go: the host and port of the publisher's URL. */
  host(): string
  /** Whether all callbacks wait until they are released. */
  isHeld(): boolean
  /** Leases callbacks that are due by a time, at most one of a lead at a time; none while they are held. */
  lease(tables: SandboxTables, due_by: number, limit: number): Promise<SandboxCallback[]>
  /** When the next callback is due after a time; undefined where none is, or while they are held. */
  nextDue(tables: SandboxTables, after: number | undefined): Promise<number | undefined>
  /** Tries a leased callback once, or postpones it. */
  attempt(callback: SandboxCallback): Promise<Attempt>
}

const leaseMarginMs = 5_000

/** The delivery of a tenant. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { clock, steadyClock, leaseClock = steadyClock, egress, account, isHeld, refresh, onAttempt } = options
  return {
    host: () => new URL(account().publisher.callback_url).host,
    isHeld,
    nextDue: async (tables, after) => (isHeld() ? undefined : tables.nextCallbackDue(after)),
    async lease(tables, due_by, limit) {
      if (isHeld()) return []
      const now = leaseClock.now()
      const until = now + durationMs(account().settings.callback_timeout) + leaseMarginMs
      return tables.leaseDueCallbacks({ due_by, now, until, limit })
    },
    async attempt(callback) {
      const { callback_id, lead_id, due_at = 0, held } = callback
      // Whoever held them, in whatever process, did so before: what is added after that is not sent.
      await refresh?.()
      if (isHeld()) return postpone({ callback_id, due_at, held })
      const fault = await matchFault(options, callback)
      const postponement = fault && postponementBy(fault.effect)
      if (postponement) {
        const { held, by_ms } = postponement
        return postpone({ callback_id, held, due_at: clock.now() + by_ms })
      }
      const way = fault ? createFaultyEgress(egress, fault) : egress
      const ports = { clock, realClock: steadyClock, egress: createHttpCallbacks(way) }
      const outcome = await tryCallback(ports, account(), callback)
      return {
        responded: fault !== undefined || outcome.attempt.status !== undefined,
        async record(tables) {
          await tables.recordAttempt(outcome)
          await tables.releaseReordered(lead_id, clock.now())
        },
        onRecorded: () => onAttempt(outcome, callback),
      }
    },
  }
}

/** What came of a callback that was not sent. */
function postpone(postponement: Postponement): Attempt {
  return {
    responded: true,
    record: tables => tables.postponeCallback(postponement),
    onRecorded: () => undefined,
  }
}

/** The fault that acts on a callback. None acts again on one that was postponed before it was tried. */
async function matchFault(
  { storage, faults }: Pick<DeliveryOptions, 'storage' | 'faults'>,
  { lead_id, held }: SandboxCallback,
): Promise<FaultRecord | undefined> {
  if (held || faults.list().length === 0) return undefined
  const findScenario = async () => {
    const lead = await storage.transact(tables => tables.findLead(lead_id))
    return lead && scenarioOfLead(lead)
  }
  const reorders = (effect: FaultEffect) => 'reorder' in effect
  // One that another waits for is not made to wait too: both would come late, and in order.
  const overtakes =
    faults.list().some(({ effect }) => reorders(effect)) &&
    (await storage.transact(tables => tables.listCallbacks(lead_id))).some(other => other.held === 'reorder')
  return faults.matchFault('callback', findScenario, effect => !(overtakes && reorders(effect)))
}
