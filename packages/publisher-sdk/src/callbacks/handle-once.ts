import { canonicalEvent } from '@lead-distribution/contract'
import type { CallbackEvent } from './callback-event.ts'
import type { CallbackClaims } from './claims.ts'
import type { CallbackHandler } from './receiver-options.ts'

/** What became of a callback: handled now, handled before, or kept for later. */
export type CallbackFate = 'received' | 'ignored' | 'parked'

/** The parts that a callback passes. */
export interface HandlingSteps<Event extends CallbackEvent> {
  claims: CallbackClaims
  handle: CallbackHandler<Event>
  isKnownLead: ((lead_id: string) => boolean | Promise<boolean>) | undefined
  park: CallbackHandler<Event> | undefined
}

/**
 * Handles each event of each lead once. A repeat that comes while the first is still being handled waits for it
 * and fares the same: told `ignored` at once, the service would never send an event again whose handler then fails.
 */
export function createOnceHandler<Event extends CallbackEvent>(steps: HandlingSteps<Event>) {
  const underWay = new Map<string, Promise<CallbackFate>>()

  async function handle(event: Event, claim: { lead_id: string; event: string }): Promise<CallbackFate> {
    if (steps.isKnownLead && !(await steps.isKnownLead(event.lead_id))) {
      await steps.park?.(event)
      return 'parked'
    }
    if (!(await steps.claims.claim(claim))) return 'ignored'
    try {
      await steps.handle(event)
      return 'received'
    } catch (error) {
      await steps.claims.release(claim)
      throw error
    }
  }

  return (event: Event): Promise<CallbackFate> => {
    const claim = { lead_id: event.lead_id, event: canonicalEvent(event.rawEvent) }
    const key = `${claim.lead_id} ${claim.event}`
    const started = underWay.get(key) ?? handle(event, claim).finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
