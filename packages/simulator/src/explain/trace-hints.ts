import type { TraceStep } from '@lead-distribution/engine'
import type { NearMiss } from './near-miss.ts'

/** A trace with each near miss told at its check, behind the hint that stands there. */
export function withNearMisses(trace: readonly TraceStep[], misses: readonly NearMiss[]): TraceStep[] {
  return trace.map(step => {
    const told = misses.filter(({ check }) => check === step.check).map(({ message }) => message)
    if (told.length === 0) return step
    return { ...step, hint: [...(step.hint === undefined ? [] : [asSentence(step.hint)]), ...told].join(' ') }
  })
}

function asSentence(hint: string): string {
  return /[.?!]$/.test(hint) ? hint : `${hint}.`
}
