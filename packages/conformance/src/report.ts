import { type JunitCase, junitDocument } from '@lead-distribution/junit'
import type { Weight } from './conformance-case.ts'
import type { Finding } from './interpretations/finding.ts'
import type { StatementId } from './statements/index.ts'

/** The outcome of a case: `known` failed as the baseline says, `skipped` was not run. */
export type Outcome = 'passed' | 'failed' | 'known' | 'skipped'

/** The result of one case. Nothing in it is a key, a token or a personal datum. */
export interface CaseResult {
  /** The id of the case: its section, a slash, and a name. */
  readonly id: string
  /** What the service must do. */
  readonly title: string
  /** Ids of the statements that it shows. */
  readonly statements: readonly StatementId[]
  /** What a failure means: a breach of the specification, or another interpretation of what it leaves open. */
  readonly weight: Weight
  /** How the case ended. */
  readonly outcome: Outcome
  /** What the target must do, of one that failed. */
  readonly expected?: string
  /** What it did instead. */
  readonly seen?: string
  /** Why it was skipped, or why the difference is known. */
  readonly reason?: string
  /** The reason of a known difference that is gone: take it out of the baseline. */
  readonly no_longer_known?: string
  /** How long it took, seconds. */
  readonly seconds: number
}

/** How many cases came out how. */
export type Counts = Readonly<Record<Outcome, number>>

/** What a run of the suite found. Version 1: fields may be added, none is renamed or removed. */
export interface ConformanceReport {
  /** The version of this shape. */
  readonly version: 1
  /** The base address that was looked at. */
  readonly base_url: string
  /** When the run began, RFC 3339. */
  readonly started_at: string
  /** How long all of it took, seconds. */
  readonly seconds: number
  /** Whether nothing failed that breaks the specification. */
  readonly conforms: boolean
  /** How many cases ended in each way. */
  readonly counts: Counts
  /** The result of each case, in order. */
  readonly cases: readonly CaseResult[]
  /** How the target reads what the specification leaves open. */
  readonly interpretations: readonly Finding[]
}

/** What a report is made of. */
export interface ReportParts {
  /** Base address of the service. */
  readonly base_url: string
  /** When the run began. */
  readonly started: Date
  /** The result of each case. */
  readonly cases: readonly CaseResult[]
  /** The interpretation of each open point. */
  readonly interpretations: readonly Finding[]
}

/** The report of a run that has just ended. */
export function createReport({ base_url, started, cases, interpretations }: ReportParts): ConformanceReport {
  return {
    version: 1,
    base_url,
    started_at: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    conforms: breachesOf(cases).length === 0,
    counts: countsOf(cases),
    cases,
    interpretations,
  }
}

/** How many of these came out how. */
export function countsOf(cases: readonly CaseResult[]): Counts {
  const count = (outcome: Outcome) => cases.filter(each => each.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), known: count('known'), skipped: count('skipped') }
}

/** Those that failed and break the specification. */
export function breachesOf(cases: readonly CaseResult[]): CaseResult[] {
  return cases.filter(({ outcome, weight }) => outcome === 'failed' && weight === 'specification')
}

/** Those that failed and read otherwise what the specification leaves open. */
export function differencesOf(cases: readonly CaseResult[]): CaseResult[] {
  return cases.filter(({ outcome, weight }) => outcome === 'failed' && weight === 'interpretation')
}

/** Cases by the section of their id, in the order of the specification; what is left open comes last. */
export function bySection(cases: readonly CaseResult[]): [section: string, cases: CaseResult[]][] {
  const sections = Map.groupBy(cases, ({ id }) => id.split('/')[0] ?? '')
  return [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}

/**
 * A report as a JUnit document, a suite for each section. What breaks no rule of the specification fails no build: a
 * known difference and another interpretation are skipped, with what is known of them.
 */
export function reportJunit({ cases }: ConformanceReport, isStrict = false): string {
  const suites = bySection(cases).map(([name, results]) => ({
    name,
    cases: results.map(result => junitCase(result, isStrict)),
  }))
  return junitDocument({ name: 'conformance', suites })
}

function junitCase(result: CaseResult, isStrict: boolean): JunitCase {
  const { id, title, weight, outcome, expected, seen, reason, seconds } = result
  const about = { name: `${title} (${id})`, seconds }
  const difference = `Expected ${expected}, but saw ${seen}.`
  switch (outcome) {
    case 'passed':
      return about
    case 'skipped':
      return { ...about, skipped: reason }
    case 'known':
      return { ...about, skipped: `Known: ${reason} ${difference}` }
    default:
      if (weight === 'interpretation' && !isStrict) return { ...about, skipped: `Read otherwise: ${difference}` }
      return { ...about, failure: { type: weight, message: difference } }
  }
}
