import { canonicalEvent } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/callbacks'
import type { CallbackEvent, CallbackHandler } from './verification.ts'

/** A claim: one event of one lead. */
export interface CallbackClaim {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event by its canonical name; an unknown name as it came. */
  readonly event: string
}

/**
 * Remembers which events were handled. A callback carries no time, so claims are the only defence against a replay:
 * a database keeps them over restarts and processes.
 */
export interface CallbackClaims {
  /** False when it is claimed already. Must hold under concurrent calls: insert, do not look first. */
  claim(claim: CallbackClaim): boolean | Promise<boolean>
  /** Releases a claim after its handler failed. A promise is awaited. */
  release(claim: CallbackClaim): unknown
}

/** Claims in the memory of this process; the oldest are forgotten beyond `limit`. */
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

/** The result of a callback: handled now, handled before, or kept for later. */
export type CallbackResult = 'received' | 'ignored' | 'parked'

/** The user's functions that a callback passes, in this order: `isKnownLead` or `park`, `claims`, `handle`. */
export interface CallbackSteps<Event extends CallbackEvent> {
  claims: CallbackClaims
  handle: CallbackHandler<Event>
  isKnownLead: ((lead_id: string) => boolean | Promise<boolean>) | undefined
  park: CallbackHandler<Event> | undefined
  reportError: (error: unknown) => void
}

/**
 * Handles each event of each lead once. A repeat that comes while the first is still being handled waits for it and
 * gets the same result: after an early `ignored`, the service would not send the event again when the handler fails.
 */
export function createOnceHandler<Event extends CallbackEvent>(steps: CallbackSteps<Event>) {
  const underWay = new Map<string, Promise<CallbackResult>>()
  /** Claims whose release failed: this process still handles the event when it comes again. */
  const stuck = new Set<string>()

  async function handle(event: Event, claim: CallbackClaim, key: string): Promise<CallbackResult> {
    if (steps.isKnownLead && !(await steps.isKnownLead(event.lead_id))) {
      await steps.park?.(event)
      return 'parked'
    }
    if (!stuck.has(key)) {
      const claimed: unknown = await steps.claims.claim(claim)
      if (claimed === false) return 'ignored'
      // Any other value taken for `false` would lose every event silently.
      if (claimed !== true) throw new ConfigError('`claims.claim` must give true or false.')
    }
    try {
      await steps.handle(event)
    } catch (error) {
      await release(claim, key)
      throw error
    }
    stuck.delete(key)
    return 'received'
  }

  async function release(claim: CallbackClaim, key: string): Promise<void> {
    try {
      await steps.claims.release(claim)
      stuck.delete(key)
    } catch (error) {
      stuck.add(key)
      steps.reportError(error)
    }
  }

  return (event: Event): Promise<CallbackResult> => {
    const claim = { lead_id: event.lead_id, event: canonicalEvent(event.rawEvent) }
    const key = `${claim.lead_id} ${claim.event}`
    const started = underWay.get(key) ?? handle(event, claim, key).finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
