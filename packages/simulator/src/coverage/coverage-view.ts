import { type CoverageItem, type CoverageKind, coverageItems } from './coverage-items.ts'

/** How often each thing was seen, by {@link coverageKey}. What is not named was not seen. */
export type CoverageCounts = Readonly<Record<string, number>>

/** The name that a thing is counted by: `reason/age_restriction`. */
export function coverageKey(kind: CoverageKind, name: string): string {
  return `${kind}/${name}`
}

/** What a tenant has seen of all that it can see. */
export interface CoverageView {
  /** How many things were seen at least once. */
  readonly seen: number
  /** How many there are. */
  readonly total: number
  /** Every thing, seen or not. */
  readonly items: readonly (CoverageItem & { readonly count: number })[]
}

/** The coverage of these counts; a name that is no thing of the specification is left out. */
export function coverageView(counts: CoverageCounts): CoverageView {
  const items = coverageItems.map(item => ({ ...item, count: counts[coverageKey(item.kind, item.name)] ?? 0 }))
  return { seen: items.filter(({ count }) => count > 0).length, total: items.length, items }
}
