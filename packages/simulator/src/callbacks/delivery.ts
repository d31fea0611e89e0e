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
  /** Real time: leases and durations of tries. */
  readonly realClock: Clock
  readonly egress: HttpEgress
  readonly faults: FaultStore
  readonly account: () => Account
  /** Called after a try was recorded; `callback` is as it was before. */
  readonly onAttempt: (outcome: AttemptOutcome, callback: SandboxCallback) => void
}

/** Delivers a tenant's callbacks, two transactions each: the lease, then the record of the try. */
export interface Delivery {
  /** Leases callbacks that are due, at most one of a lead at a time. */
  lease(tables: SandboxTables): Promise<SandboxCallback[]>
  /**
   * Tries each of the leased callbacks once, all at the same time. The transaction that records the last try also calls
   * `finish`, whose result is the result here.
   */
  tryAll<Result>(
    callbacks: readonly SandboxCallback[],
    finish: (tables: SandboxTables) => Promise<Result>,
  ): Promise<Result | undefined>
}

/** What is to be recorded of a callback. */
type Change = (tables: SandboxTables) => Promise<void>

const leaseMarginMs = 5_000
const batchSize = 16

/** The delivery of a tenant. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { storage, clock, realClock, egress, account, onAttempt } = options

  /** Postpones or tries a callback: what to record of it, and what to do once that is recorded. */
  async function attempt(callback: SandboxCallback): Promise<{ change: Change; after: () => void }> {
    const fault = await matchFault(options, callback)
    const { callback_id, lead_id } = callback
    const postponement = fault && postponementBy(fault.effect)
    if (postponement) {
      const { held, by_ms } = postponement
      const due_at = clock.now() + by_ms
      return { change: tables => tables.postponeCallback({ callback_id, held, due_at }), after: () => undefined }
    }
    const way = fault ? createFaultyEgress(egress, fault) : egress
    const outcome = await tryCallback({ clock, realClock, egress: createHttpCallbacks(way) }, account(), callback)
    return {
      async change(tables) {
        await tables.recordAttempt(outcome)
        await tables.releaseReordered(lead_id, clock.now())
      },
      after: () => onAttempt(outcome, callback),
    }
  }

  return {
    lease(tables) {
      const now = realClock.now()
      const until = now + durationMs(account().settings.callback_timeout) + leaseMarginMs
      return tables.leaseDueCallbacks({ due_by: clock.now(), now, until, limit: batchSize })
    },
    async tryAll(callbacks, finish) {
      let left = callbacks.length
      const results = await Promise.all(
        callbacks.map(async callback => {
          const { change, after } = await attempt(callback)
          left -= 1
          const isLast = left === 0
          const result = await storage.transact(async tables => {
            await change(tables)
            return isLast ? finish(tables) : undefined
          })
          after()
          return result
        }),
      )
      return results.find(result => result !== undefined)
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
