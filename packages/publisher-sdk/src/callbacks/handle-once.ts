import { canonicalEvent } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/callbacks'
import type { CallbackClaim, CallbackClaims } from './claims.ts'
import type { CallbackEvent, CallbackHandler } from './verification.ts'

/** How long a callback may take, and how long its claim holds. */
export interface HandlingLimits {
  /**
   * How long a callback may take, milliseconds. Then the reply is a `503`, and the handler's `signal` is aborted. Default
   * 8000: the service gives up waiting (its sandbox after 10 s).
   */
  handleTimeoutMs?: number | undefined
  /**
   * How long a claim holds that is not confirmed, milliseconds; at least `handleTimeoutMs`. An event whose process died is
   * handled by the first delivery after that; so is one whose handler takes longer and ignores its `signal`. Default 30000.
   */
  leaseMs?: number | undefined
}

/** The longest delay of a timer, milliseconds. */
const longestMs = 2 ** 31 - 1

/** The limits, with their defaults, milliseconds. */
export interface ReadyLimits {
  handleTimeoutMs: number
  leaseMs: number
}

/** Checks the limits before they are relied on. @throws ConfigError */
export function readyLimits({ handleTimeoutMs = 8_000, leaseMs = 30_000 }: HandlingLimits): ReadyLimits {
  for (const [name, ms] of Object.entries({ handleTimeoutMs, leaseMs })) {
    if (!(Number.isInteger(ms) && ms >= 1 && ms <= longestMs)) {
      throw new ConfigError(`\`${name}\` must be a whole number of milliseconds from 1 to ${longestMs}.`)
    }
  }
  if (leaseMs < handleTimeoutMs) {
    throw new ConfigError(
      '`leaseMs` must be at least `handleTimeoutMs`: a claim must not end while its handler has time.',
    )
  }
  return { handleTimeoutMs, leaseMs }
}

/** The result of a callback: handled now, handled before, kept for later, or to be sent again after the lease. */
export type CallbackResult = 'received' | 'ignored' | 'parked' | 'busy'

/** The user's functions that a callback passes, in this order: `isKnownLead` or `handleUnknownLead`, `claims`, `handle`. */
export interface CallbackSteps<Event extends CallbackEvent> extends ReadyLimits {
  claims: CallbackClaims
  handle: CallbackHandler<Event>
  isKnownLead: ((lead_id: string) => boolean | Promise<boolean>) | undefined
  handleUnknownLead: CallbackHandler<Event> | undefined
  reportError: (error: unknown) => void
}

/**
 * Handles each event of each lead once. A repeat that comes while the first is still being handled is `busy`: after
 * an `ignored`, the service would not send the event again when the handler fails or its process dies.
 */
export function createOnceHandler<Event extends CallbackEvent>(steps: CallbackSteps<Event>) {
  const { claims, handleTimeoutMs, isKnownLead, leaseMs, reportError } = steps

  async function take(event: Event, signal: AbortSignal): Promise<CallbackResult> {
    if (isKnownLead && !(await isKnownLead(event.lead_id))) {
      await steps.handleUnknownLead?.(event, { signal })
      return 'parked'
    }
    const { lead_id, rawEvent } = event
    const claim = { lead_id, event: canonicalEvent(rawEvent), token: crypto.randomUUID(), leaseMs }
    const claimed: unknown = await claims.claim(claim)
    if (claimed === 'done') return 'ignored'
    if (claimed === 'busy') return 'busy'
    // Any other value taken for one of these would lose every event silently.
    if (claimed !== 'claimed') throw new ConfigError("`claims.claim` must give 'claimed', 'busy' or 'done'.")
    try {
      await steps.handle(event, { signal })
    } catch (error) {
      await settle('release', claim)
      throw error
    }
    await settle('confirm', claim)
    return 'received'
  }

  /** A claim that can be neither confirmed nor released ends with its lease: the result of the handler stays what it is. */
  async function settle(how: 'confirm' | 'release', claim: CallbackClaim): Promise<void> {
    try {
      await claims[how](claim)
    } catch (error) {
      reportError(error)
    }
  }

  return (event: Event): Promise<CallbackResult> => {
    const over = new AbortController()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = new Error(`A callback took longer than ${handleTimeoutMs} ms (handleTimeoutMs): queue slow work.`)
        over.abort(error)
        reportError(error)
        resolve('busy')
      }, handleTimeoutMs)
      take(event, over.signal)
        // What fails after the time is up has no reply any more: it is reported here.
        .then(resolve, error => (over.signal.aborted ? reportError(error) : reject(error)))
        .finally(() => clearTimeout(timer))
    })
  }
}
