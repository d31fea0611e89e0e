import type { Finding } from '../readings/finding.ts'
import type { CaseResult, ConformanceReport, Counts, Outcome } from './report.ts'

/** What a report is made of. */
export interface ReportParts {
  readonly base_url: string
  readonly started: Date
  readonly cases: readonly CaseResult[]
  readonly readings: readonly Finding[]
}

/** The report of a run that has just ended. */
export function createReport({ base_url, started, cases, readings }: ReportParts): ConformanceReport {
  return {
    version: 1,
    base_url,
    started_at: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    conforms: breachesOf(cases).length === 0,
    counts: countsOf(cases),
    cases,
    readings,
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
  return cases.filter(({ outcome, weight }) => outcome === 'failed' && weight === 'reading')
}

/** Cases by the section of their id, in the order of the specification; what is left open stands last. */
export function bySection(cases: readonly CaseResult[]): [section: string, cases: CaseResult[]][] {
  const sections = Map.groupBy(cases, ({ id }) => id.split('/')[0] ?? '')
  return [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}
