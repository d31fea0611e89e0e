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
import type { FaultEffect, FaultRecord, SandboxCallback } from '../storage/records.ts'
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
  /** Leases callbacks that are due by a time, at most one of a lead at a time. */
  lease(tables: SandboxTables, due_by: number, limit: number): Promise<SandboxCallback[]>
  /** Tries a leased callback once, or postpones it. */
  attempt(callback: SandboxCallback): Promise<Attempt>
}

const leaseMarginMs = 5_000

/** The delivery of a tenant. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { clock, steadyClock, leaseClock = steadyClock, egress, account, onAttempt } = options
  return {
    host: () => new URL(account().publisher.callback_url).host,
    lease(tables, due_by, limit) {
      const now = leaseClock.now()
      const until = now + durationMs(account().settings.callback_timeout) + leaseMarginMs
      return tables.leaseDueCallbacks({ due_by, now, until, limit })
    },
    async attempt(callback) {
      const fault = await matchFault(options, callback)
      const { callback_id, lead_id } = callback
      const postponement = fault && postponementBy(fault.effect)
      if (postponement) {
        const { held, by_ms } = postponement
        const due_at = clock.now() + by_ms
        const record: Attempt['record'] = tables => tables.postponeCallback({ callback_id, held, due_at })
        return { responded: true, record, onRecorded: () => undefined }
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
