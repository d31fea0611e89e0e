import { durationMs, type Egress } from '@lead-distribution/engine'
import type { Faults } from './fault-book.ts'

/** How long a callback that waits for the next one of its lead waits at the most, on the tenant's clock: a minute. */
const longestReorderMs = 60_000

/**
 * The way out of a tenant, disturbed as its faults have it. A callback that was put off is not put off again before
 * it was tried.
 */
export function createFaultyEgress(
  undisturbed: Egress,
  faults: Faults,
  scenarioOf: (leadId: string) => Promise<string | undefined>,
): Egress {
  return {
    async send(outbound, callback) {
      const send = () => undisturbed.send(outbound, callback)
      if (callback.held) return send()
      const fault = await faults.strike('callback', () => scenarioOf(callback.lead_id))
      if (!fault) return send()
      const { fault_id, effect } = fault
      if ('delay' in effect) return { held: 'delay', by_ms: durationMs(effect.delay) }
      if ('reorder' in effect) return { held: 'reorder', by_ms: longestReorderMs }
      if ('status' in effect) return { status: effect.status, fault_id }
      if ('duplicate' in effect) {
        const first = await send()
        for (let copy = 0; copy < effect.duplicate; copy++) await send()
        return { ...first, copies: effect.duplicate, fault_id }
      }
      return { error: 'dropped by a fault', fault_id }
    },
  }
}
