import type { LeadRecord } from '@lead-distribution/engine'

type Step = LeadRecord['trace'][number]

/** A step with only its values: names that every step repeats would be half of a lead's row. */
type Values = [
  check: Step['check'],
  verdict: Step['verdict'],
  input?: unknown,
  threshold?: unknown,
  hint?: Step['hint'],
]

/** A trace as its column holds it: a list of lists, their trailing values left out. */
export function toTraceColumn(trace: readonly Step[]): string {
  return JSON.stringify(
    trace.map(({ check, verdict, input, threshold, hint }): Values => {
      if (hint !== undefined) return [check, verdict, input, threshold, hint]
      if (threshold !== undefined) return [check, verdict, input, threshold]
      return input === undefined ? [check, verdict] : [check, verdict, input]
    }),
  )
}

/** The trace of a column. */
export function fromTraceColumn(column: string): Step[] {
  return (JSON.parse(column) as Values[]).map(([check, verdict, input, threshold, hint]) => ({
    check,
    verdict,
    // JSON has null where a value in the middle is left out; no check has null for a value.
    ...(input == null ? {} : { input }),
    ...(threshold == null ? {} : { threshold }),
    ...(hint == null ? {} : { hint }),
  }))
}
