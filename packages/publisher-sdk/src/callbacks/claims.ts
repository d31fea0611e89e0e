import { canonicalEvent } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/callbacks'
import type { CallbackEvent, CallbackHandler } from './callback-event.ts'

/** What is claimed: one event of one lead. */
export interface CallbackClaim {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event by its canonical name; a name that is not known as it came. */
  readonly event: string
}

/**
 * Remembers which events were handled. A callback carries no time, so this is the only defence against one that
 * is sent again: a database keeps it over restarts and processes.
 */
export interface CallbackClaims {
  /** False when it is claimed already. Must hold under concurrent calls: insert, do not look first. */
  claim(claim: CallbackClaim): boolean | Promise<boolean>
  /** Gives a claim back, after its handler failed. A promise is waited for. */
  release(claim: CallbackClaim): unknown
}

/** Claims in memory, of this process alone; the oldest are forgotten beyond `limit`. */
export function createMemoryClaims(limit = 100_000): CallbackClaims {
  const claimed = new Set<string>()
  const key = ({ lead_id, event }: CallbackClaim) => `${lead_id} ${event}`
  return {
    claim(claim) {
      if (claimed.has(key(claim))) return false
      claimed.add(key(claim))
      const oldest = claimed.values().next().value
      if (claimed.size > limit && oldest !== undefined) claimed.delete(oldest)
      return true
    },
    release(claim) {
      claimed.delete(key(claim))
    },
  }
}

/** What became of a callback: handled now, handled before, or kept for later. */
export type CallbackFate = 'received' | 'ignored' | 'parked'

/** The parts that a callback passes. */
export interface HandlingSteps<Event extends CallbackEvent> {
  claims: CallbackClaims
  handle: CallbackHandler<Event>
  isKnownLead: ((lead_id: string) => boolean | Promise<boolean>) | undefined
  park: CallbackHandler<Event> | undefined
  tellError: (error: unknown) => void
}

/**
 * Handles each event of each lead once. A repeat that comes while the first is still being handled waits for it
 * and fares the same: told `ignored` at once, the service would never send an event again whose handler then fails.
 */
export function createOnceHandler<Event extends CallbackEvent>(steps: HandlingSteps<Event>) {
  const underWay = new Map<string, Promise<CallbackFate>>()
  /** Claims that could not be given back: the event is this process's to handle still, when it comes again. */
  const stuck = new Set<string>()

  async function handle(event: Event, claim: CallbackClaim, key: string): Promise<CallbackFate> {
    if (steps.isKnownLead && !(await steps.isKnownLead(event.lead_id))) {
      await steps.park?.(event)
      return 'parked'
    }
    if (!stuck.has(key)) {
      const claimed: unknown = await steps.claims.claim(claim)
      if (claimed === false) return 'ignored'
      // Whatever else it means, taking it for `false` would lose every event in silence.
      if (claimed !== true) throw new ConfigError('`claims.claim` must give true or false.')
    }
    try {
      await steps.handle(event)
    } catch (error) {
      await giveBack(claim, key)
      throw error
    }
    stuck.delete(key)
    return 'received'
  }

  async function giveBack(claim: CallbackClaim, key: string): Promise<void> {
    try {
      await steps.claims.release(claim)
      stuck.delete(key)
    } catch (error) {
      stuck.add(key)
      steps.tellError(error)
    }
  }

  return (event: Event): Promise<CallbackFate> => {
    const claim = { lead_id: event.lead_id, event: canonicalEvent(event.rawEvent) }
    const key = `${claim.lead_id} ${claim.event}`
    const started = underWay.get(key) ?? handle(event, claim, key).finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
