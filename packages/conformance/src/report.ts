import { styleText } from 'node:util'
import { type JunitCase, junitDocument } from '@lead-distribution/contract/junit'
import type { Weight } from './conformance-case.ts'
import type { StatementId } from './statements/index.ts'
import type { Finding } from './target.ts'

/** The outcome of a case: `known` failed as the baseline predicts, `skipped` was not run. */
export type Outcome = 'passed' | 'failed' | 'known' | 'skipped'

/** The result of one case. It contains no key, no token and no personal data. */
export interface CaseResult {
  /** The id of the case. */
  readonly id: string
  /** The required behavior of the service. */
  readonly title: string
  /** Ids of the statements that the case covers. */
  readonly statements: readonly StatementId[]
  /** The meaning of a failure: a breach of the specification, or another interpretation of an open point. */
  readonly weight: Weight
  /** The outcome of the case. */
  readonly outcome: Outcome
  /** The expected behavior of the target. Set for a failure. */
  readonly expected?: string
  /** The observed behavior. */
  readonly seen?: string
  /** The reason that the case was skipped, or that the difference is known. */
  readonly reason?: string
  /** The baseline's reason for a difference that is gone. */
  readonly no_longer_known?: string
  /** Duration in seconds. */
  readonly seconds: number
}

/** A difference from the baseline. */
export interface BaselineChange {
  /** The id of a case, or the name of an open point. */
  readonly id: string
  /** The outcome or the interpretation in the baseline. */
  readonly was: unknown
  /** The outcome or the interpretation now. */
  readonly is: unknown
}

/** The number of cases by outcome. */
export type Counts = Readonly<Record<Outcome, number>>

/** The results of a run. Version 1: fields may be added, but none is renamed or removed. */
export interface ConformanceReport {
  /** The version of this format. */
  readonly version: 1
  /** The base URL of the service. */
  readonly base_url: string
  /** The time when the run started, RFC 3339. */
  readonly started_at: string
  /** Duration of the run in seconds. */
  readonly seconds: number
  /** True if no failure is a breach of the specification. */
  readonly conforms: boolean
  /** The number of cases by outcome. */
  readonly counts: Counts
  /** The result of each case, in order. */
  readonly cases: readonly CaseResult[]
  /** The target's interpretation of each open point. */
  readonly interpretations: readonly Finding[]
  /** The changes since the baseline. Set for a run that is compared with one. */
  readonly changes?: readonly BaselineChange[]
}

/** The parts of a report. */
export interface ReportParts {
  /** The base URL of the service. */
  readonly base_url: string
  /** The time when the run started. */
  readonly started: Date
  /** The result of each case. */
  readonly cases: readonly CaseResult[]
  /** The interpretation of each open point. */
  readonly interpretations: readonly Finding[]
  /** The changes since the baseline, if there is one. */
  readonly changes?: readonly BaselineChange[] | undefined
}

/** Creates the report of a run that has just ended. */
export function createReport({ base_url, started, cases, interpretations, changes }: ReportParts): ConformanceReport {
  return {
    version: 1,
    base_url,
    started_at: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    conforms: breachesOf(cases).length === 0,
    counts: countsOf(cases),
    cases,
    interpretations,
    ...(changes && { changes }),
  }
}

function countsOf(cases: readonly CaseResult[]): Counts {
  const count = (outcome: Outcome) => cases.filter(each => each.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), known: count('known'), skipped: count('skipped') }
}

/** Returns the failures that are breaches of the specification. */
export function breachesOf(cases: readonly CaseResult[]): CaseResult[] {
  return cases.filter(({ outcome, weight }) => outcome === 'failed' && weight === 'specification')
}

/** Returns the failures that are other interpretations of an open point. */
export function differencesOf(cases: readonly CaseResult[]): CaseResult[] {
  return cases.filter(({ outcome, weight }) => outcome === 'failed' && weight === 'interpretation')
}

/** Groups cases by section, in the order of the specification; open points come last. */
function bySection(cases: readonly CaseResult[]): [section: string, cases: CaseResult[]][] {
  const sections = Map.groupBy(cases, ({ id }) => id.split('/')[0] ?? '')
  return [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}

/**
 * Formats a report as a JUnit document with one suite per section. Known differences, and other interpretations unless
 * `isStrict`, fail no build: they are skipped, with the difference as the message.
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
      if (weight === 'interpretation' && !isStrict)
        return { ...about, skipped: `Another interpretation: ${difference}` }
      return { ...about, failure: { type: weight, message: difference } }
  }
}

const paint = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

/** Formats a report for people, or only what has changed since the baseline. */
export function reportText(report: ConformanceReport): string {
  const { cases, interpretations, base_url, conforms, changes } = report
  const verdict = conforms ? paint('green', 'The service conforms.') : paint('red', 'The service does not conform.')
  if (changes) return changedText(report, changes)
  const parts = [
    block(`Conformance of ${base_url}`, sectionTable(cases)),
    differences('Breaches of the specification', breachesOf(cases), 'red'),
    differences('Other interpretations of open points', differencesOf(cases), 'yellow'),
    block('Skipped', skippedTable(cases)),
    block('Interpretation of each open point', interpretationTable(interpretations)),
    `${verdict} ${countsText(report)}`,
  ]
  return parts.filter(part => part).join('\n\n')
}

function countsText({ cases, counts, seconds }: ConformanceReport): string {
  const { passed, failed, known, skipped } = counts
  return `${passed} passed, ${failed} failed (${differencesOf(cases).length} by another interpretation), ${known} known, ${skipped} skipped, in ${seconds.toFixed(1)} s.`
}

function changedText(report: ConformanceReport, changes: readonly BaselineChange[]): string {
  const { cases, interpretations } = report
  const points = changes.filter(({ id }) => interpretations.some(({ point }) => point === id))
  const parts = [
    differences('New breaches of the specification', breachesOf(cases), 'red'),
    differences('New other interpretations of open points', differencesOf(cases), 'yellow'),
    block(
      'Differences that are gone',
      changes
        .filter(({ is }) => is === 'passed')
        .map(({ id }) => id)
        .join('\n'),
    ),
    points.length > 0 &&
      block(
        'Open points interpreted differently',
        columns([['point', 'was', 'is'], ...points.map(({ id, was, is }) => [id, valueText(was), valueText(is)])]),
      ),
    `${changes.length === 0 ? 'Nothing has changed' : `${changes.length} changes`} since the baseline: ${countsText(report)}`,
  ]
  return parts.filter(part => part).join('\n\n')
}

/** A baseline is a file of others: what a terminal would not show is escaped. */
const valueText = (value: unknown) =>
  typeof value === 'string' && /^[ -~]*$/.test(value) ? value : JSON.stringify(value)

function block(title: string, text: string): string {
  return text && `${paint('bold', title)}\n\n${text}`
}

function sectionTable(cases: readonly CaseResult[]): string {
  const rows = bySection(cases).map(([section, results]) => {
    const { passed, failed, known, skipped } = countsOf(results)
    return [section, passed, failed, known, skipped].map(String)
  })
  return columns([['section', 'passed', 'failed', 'known', 'skipped'], ...rows])
}

function differences(title: string, cases: readonly CaseResult[], color: 'red' | 'yellow'): string {
  const lines = cases.map(({ id, title: what, expected, seen }) =>
    [`${paint(color, id)}  ${what}`, `  expected: ${expected}`, `  seen:     ${seen}`].join('\n'),
  )
  return block(`${title}: ${cases.length}`, lines.join('\n'))
}

/** Lists each reason for skipping once. */
function skippedTable(cases: readonly CaseResult[]): string {
  const skipped = cases.filter(({ outcome }) => outcome === 'skipped')
  const reasons = Map.groupBy(skipped, ({ reason = '' }) => reason)
  return columns([...reasons].map(([reason, results]) => [String(results.length), reason]))
}

function interpretationTable(interpretations: readonly Finding[]): string {
  if (interpretations.length === 0) return ''
  const rows = interpretations.map(({ point, interpretation, known_by }) => [
    point,
    interpretation === undefined ? 'unknown' : valueText(interpretation),
    known_by,
  ])
  return columns([['point', 'interpretation', 'evidence'], ...rows])
}

/** Aligns rows in columns, separated by two spaces. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map(row => row[place]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((text, place) => text.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}
