import { missingNeed, type Need, Unclear } from '../conformance-case.ts'
import { redactor } from '../facts.ts'
import type { Finding, InterpretationOf, Point, Target } from '../target.ts'

/** Determines the target's interpretation of one open point from its responses. Never assumes, never rejects. */
export type Probe<P extends Point = Point> = (target: Target) => Promise<Finding<P>>

/** The result of a probe: the interpretation, or undefined if it stays unknown, and the evidence as a sentence. */
export type Found<P extends Point> = readonly [interpretation: InterpretationOf[P] | undefined, known_by: string]

/** Creates the probe of a point. If a need is missing or `find` throws, the interpretation is unknown, with the reason. */
export function probeOf<P extends Point>(
  point: P,
  needs: readonly Need[],
  find: (target: Target) => Promise<Found<P>>,
): Probe<P> {
  return async target => {
    const missing = missingNeed(needs, target)
    if (missing) return { point, interpretation: undefined, known_by: missing }
    const redacted = redactor(target.facts)
    try {
      const [interpretation, known_by] = await find(target)
      return { point, interpretation, known_by: redacted(known_by) }
    } catch (error) {
      return { point, interpretation: undefined, known_by: redacted(reasonOf(error)) }
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Unclear) return error.message
  const message = error instanceof Error ? error.message : String(error)
  return `The probe failed: ${message.replace(/\.$/, '')}.`
}

/** Formats a time as an ISO 8601 duration, to a tenth of a second: `PT0.3S`. */
export function durationText(ms: number): string {
  return `PT${tenths(ms)}S`
}

/** Formats a time for a sentence: `0.3 s`. */
export function secondsText(ms: number): string {
  return `${tenths(ms)} s`
}

/** Formats a time that was not over when the probe stopped. */
export function atLeast(ms: number): string {
  return `>= ${durationText(ms)}`
}

/** Rounds an observed delay to half a second, because the network takes time too. Short ones stay as they are. */
export function nearestDuration(ms: number): string {
  return durationText(ms < 250 ? ms : Math.round(ms / 500) * 500)
}

function tenths(ms: number): number {
  return Math.round(ms / 100) / 10
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))
}
