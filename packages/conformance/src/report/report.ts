import type { Weight } from '../conformance-case.ts'
import type { Finding } from '../readings/finding.ts'
import type { StatementId } from '../statements/index.ts'

/** What became of a case: `known` failed as the baseline says, `skipped` was not run. */
export type Outcome = 'passed' | 'failed' | 'known' | 'skipped'

/** The result of one case. Nothing in it is a key, a token or a personal datum. */
export interface CaseResult {
  /** The id of the case: its section, a slash, and words. */
  readonly id: string
  /** What the service must do. */
  readonly title: string
  readonly statements: readonly StatementId[]
  /** What a failure means: a breach of the specification, or another reading of what it leaves open. */
  readonly weight: Weight
  readonly outcome: Outcome
  /** What the target must do, of one that failed. */
  readonly expected?: string
  /** What it did instead. */
  readonly seen?: string
  /** Why it was skipped, or why the difference is known. */
  readonly reason?: string
  /** The reason of a known difference that is gone: take it out of the baseline. */
  readonly no_longer_known?: string
  readonly seconds: number
}

/** How many cases came out how. */
export type Counts = Readonly<Record<Outcome, number>>

/** What a run of the suite found. Version 1: fields may be added, none is renamed or removed. */
export interface ConformanceReport {
  readonly version: 1
  /** The base address that was looked at. */
  readonly base_url: string
  /** When the run began, RFC 3339. */
  readonly started_at: string
  readonly seconds: number
  /** Whether nothing failed that breaks the specification. */
  readonly conforms: boolean
  readonly counts: Counts
  readonly cases: readonly CaseResult[]
  /** How the target reads what the specification leaves open. */
  readonly readings: readonly Finding[]
}
