import { durationMs, type Egress } from '@lead-distribution/engine'
import type { Faults } from './fault-book.ts'
import type { FaultEffect } from './fault-record.ts'

/** What faults on callbacks may ask of a lead. */
export interface DisturbedLeads {
  /** The scenario that it came in by. */
  scenarioOf(leadId: string): Promise<string | undefined>
  /** Whether a callback of it waits to be sent behind the next one. */
  isReordering(leadId: string): Promise<boolean>
}

/** How long a callback that waits for the next one of its lead waits at the most, on the tenant's clock: a minute. */
const longestReorderMs = 60_000

/**
 * The way out of a tenant, disturbed as its faults have it. A callback that was put off is not put off again before
 * it was tried.
 */
export function createFaultyEgress(undisturbed: Egress, faults: Faults, leads: DisturbedLeads): Egress {
  /** One that another waits for is not made to wait too: both would come late, and in order. */
  async function canApply(leadId: string): Promise<(effect: FaultEffect) => boolean> {
    const asked = faults.list().some(({ effect }) => 'reorder' in effect)
    const overtakes = asked && (await leads.isReordering(leadId))
    return effect => !(overtakes && 'reorder' in effect)
  }

  return {
    async send(outbound, callback) {
      const send = () => undisturbed.send(outbound, callback)
      if (callback.held) return send()
      const { lead_id } = callback
      const fault = await faults.strike('callback', () => leads.scenarioOf(lead_id), await canApply(lead_id))
      if (!fault) return send()
      const { fault_id, effect } = fault
      if ('delay' in effect) return { held: 'delay', by_ms: durationMs(effect.delay) }
      if ('reorder' in effect) return { held: 'reorder', by_ms: longestReorderMs }
      if ('status' in effect) return { status: effect.status, fault_id }
      if ('duplicate' in effect) {
        // All at once: one after the other, many copies to a slow receiver outlast the lease of the callback.
        const [first] = await Promise.all([send(), ...Array.from({ length: effect.duplicate }, send)])
        return { ...first, copies: effect.duplicate, fault_id }
      }
      return { error: 'dropped by a fault', fault_id }
    },
  }
}
