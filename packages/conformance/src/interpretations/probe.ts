import { missingNeed, Unclear } from '../mismatch.ts'
import { redactor } from '../send-request.ts'
import type { Need, Target } from '../target.ts'
import type { Finding, InterpretationOf, Point } from './finding.ts'

/** Finds out how a target reads one open point, by black-box calls; never assumes, never throws. */
export type Probe<P extends Point = Point> = (target: Target) => Promise<Finding<P>>

/** What a probe comes to: the interpretation, undefined where it stays unknown, and how we know, as a sentence. */
export type Found<P extends Point> = readonly [interpretation: InterpretationOf[P] | undefined, known_by: string]

/** The probe of a point. The interpretation stays unknown where a need is missing or `find` throws; the sentence says why. */
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
      return { point, interpretation: undefined, known_by: redacted(whyOf(error)) }
    }
  }
}

function whyOf(error: unknown): string {
  if (error instanceof Unclear) return error.message
  const message = error instanceof Error ? error.message : String(error)
  return `The probe came to no end, because of an error: ${message.replace(/\.$/, '')}.`
}
