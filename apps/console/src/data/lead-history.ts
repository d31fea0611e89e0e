import type { Callback } from '@lead-distribution/control-client'
import type { Lead } from './entries.ts'

/** A reported event, an attempt of its callback, or a pending callback, in the tenant's time. */
export type HistoryEntry =
  | { readonly kind: 'event'; readonly at: string; readonly event: Lead['events'][number] }
  | {
      readonly kind: 'attempt'
      readonly at: string
      readonly callback: Callback
      readonly attempt: Callback['attempts'][number]
      /** The number of the attempt, from 1. */
      readonly number: number
    }
  | { readonly kind: 'waiting'; readonly at: string | undefined; readonly callback: Callback }

/** Lists what happened to a lead after its decision, in the order of the tenant's clock. Pending callbacks come last. */
export function historyOf({ events, callbacks }: Pick<Lead, 'events' | 'callbacks'>): readonly HistoryEntry[] {
  const past: HistoryEntry[] = [
    ...events.map(event => ({ kind: 'event' as const, at: event.recorded_at, event })),
    ...callbacks.flatMap(callback =>
      callback.attempts.map((attempt, index) => ({
        kind: 'attempt' as const,
        at: attempt.at,
        callback,
        attempt,
        number: index + 1,
      })),
    ),
  ]
  const waiting = callbacks
    .filter(({ state }) => state === 'pending')
    .map(callback => ({ kind: 'waiting' as const, at: callback.next_attempt_at, callback }))
  // The sort is stable, so an event stays before the callback that it causes at the same moment.
  return [...past.sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? '')), ...waiting]
}

/** Returns true if a response means that the callback is delivered: any 2xx. */
export function isDelivered({ status }: { readonly status?: number | undefined }): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** Returns false for an attempt that a fault dropped, or responded to in place of the receiver. */
export function reachesReceiver({ fault_id, copies }: Callback['attempts'][number]): boolean {
  return fault_id === undefined || copies !== undefined
}

/** Returns the deciding step of a trace, or undefined if every check passed. */
export function decidingStep(trace: Lead['trace']): Lead['trace'][number] | undefined {
  return trace.find(({ verdict }) => verdict === 'rejected') ?? trace.find(({ verdict }) => verdict === 'forced')
}
