import type { Need } from '../case.ts'
import type { InterpretationOf, Point, Target } from '../target.ts'

/** The result of a probe: the interpretation, or undefined if it stays unknown, and the evidence as a sentence. */
export type Found<P extends Point> = readonly [interpretation: InterpretationOf[P] | undefined, known_by: string]

/** Determines the target's interpretation of an open point from its responses. Never assumes. */
export interface Probe<P extends Point> {
  readonly needs: readonly Need[]
  readonly find: (target: Target) => Promise<Found<P>>
}

/** The probe of each open point. */
export type Probes = { readonly [P in Point]: Probe<P> }

/** Creates a probe that runs only if these needs are met. */
export function probeWith<P extends Point>(needs: readonly Need[], find: Probe<P>['find']): Probe<P> {
  return { needs, find }
}

/** Formats a time as an ISO 8601 duration, to a tenth of a second: `PT0.3S`. */
export function durationText(ms: number): string {
  return `PT${tenths(ms)}S`
}

/** Formats a time for a sentence: `0.3 s`. */
export function secondsText(ms: number): string {
  return `${tenths(ms)} s`
}

/** Formats a time that had not elapsed when the probe stopped. */
export function atLeast(ms: number): string {
  return `>= ${durationText(ms)}`
}

/** Rounds an observed delay to half a second, to absorb network latency. Short delays are unchanged. */
export function nearestDuration(ms: number): string {
  return durationText(ms < 250 ? ms : Math.round(ms / 500) * 500)
}

function tenths(ms: number): number {
  return Math.round(ms / 100) / 10
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))
}
