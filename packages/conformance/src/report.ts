import { styleText } from 'node:util'
import { type JunitCase, junitDocument } from '@lead-distribution/contract/junit'
import type { ConformanceCase, Weight } from './case.ts'
import type { Finding } from './target.ts'

/**
 * The outcome of a case: `skipped` if the target can't be checked.
 * @category Results
 */
export type Outcome = 'passed' | 'failed' | 'skipped'

/**
 * The result of one case. Never contains a key, a token or personal data.
 * @category Results
 */
export interface CaseResult extends Pick<ConformanceCase, 'id' | 'statements' | 'weight'> {
  /** The outcome of the case. */
  readonly outcome: Outcome
  /** The expected behavior of the target. Set on failure. */
  readonly expected?: string
  /** The observed behavior. Set on failure. */
  readonly seen?: string
  /** The reason for skipping the case. */
  readonly reason?: string
  /** Duration in seconds. */
  readonly seconds: number
}

/**
 * The results of a run. In version 1, fields may be added, but none is renamed or removed.
 * @category Results
 */
export interface ConformanceReport {
  /** The version of this format. */
  readonly version: 1
  /** The base URL of the service. */
  readonly base_url: string
  /** The time when the run started, RFC 3339. */
  readonly started_at: string
  /** Duration of the run in seconds. */
  readonly seconds: number
  /** True if no failure violates the specification. */
  readonly conforms: boolean
  /** The number of cases by outcome. */
  readonly counts: Readonly<Record<Outcome, number>>
  /** The result of each case, in order. */
  readonly cases: readonly CaseResult[]
  /** The target's interpretation of each open point. */
  readonly interpretations: readonly Finding[]
}

/** Creates the report of a finished run. */
export function createReport(
  base_url: string,
  started: Date,
  cases: readonly CaseResult[],
  interpretations: readonly Finding[],
): ConformanceReport {
  return {
    version: 1,
    base_url,
    started_at: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    conforms: failuresOf(cases, 'specification').length === 0,
    counts: countsOf(cases),
    cases,
    interpretations,
  }
}

function countsOf(cases: readonly CaseResult[]): Record<Outcome, number> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { outcome } of cases) counts[outcome]++
  return counts
}

function failuresOf(cases: readonly CaseResult[], weight: Weight): CaseResult[] {
  return cases.filter(each => each.outcome === 'failed' && each.weight === weight)
}

/** Groups cases by section, in the specification's order; open points come last. */
function bySection(cases: readonly CaseResult[]): [section: string, cases: CaseResult[]][] {
  const sections = Map.groupBy(cases, ({ id }) => id.split('/')[0] ?? '')
  return [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}

/**
 * Formats a report as a JUnit document with one suite per section. Other interpretations don't fail a build: they are
 * reported as skipped, with the difference as the message.
 */
export function reportJunit({ cases }: ConformanceReport): string {
  const suites = bySection(cases).map(([name, results]) => ({ name, cases: results.map(junitCase) }))
  return junitDocument({ name: 'conformance', suites })
}

function junitCase({ id, weight, outcome, expected, seen, reason, seconds }: CaseResult): JunitCase {
  if (outcome !== 'failed') return { name: id, seconds, skipped: reason }
  const message = `Expected ${expected}, but saw ${seen}.`
  if (weight === 'interpretation') return { name: id, seconds, skipped: `Another interpretation: ${message}` }
  return { name: id, seconds, failure: { type: weight, message } }
}

const paint = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

/** Formats a report for people. */
export function reportText({ base_url, cases, counts, conforms, interpretations, seconds }: ConformanceReport): string {
  const verdict = conforms ? paint('green', 'The service conforms.') : paint('red', 'The service does not conform.')
  const parts = [
    block(`Conformance of ${base_url}`, sectionTable(cases)),
    differences('Violations of the specification', failuresOf(cases, 'specification'), 'red'),
    differences('Other interpretations of open points', failuresOf(cases, 'interpretation'), 'yellow'),
    block('Skipped', skippedTable(cases)),
    block('Interpretation of each open point', interpretations.map(interpretationText).join('\n')),
    `${verdict} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped, in ${seconds.toFixed(1)} s.`,
  ]
  return parts.filter(part => part).join('\n\n')
}

function block(title: string, text: string): string {
  return text && `${paint('bold', title)}\n\n${text}`
}

function sectionTable(cases: readonly CaseResult[]): string {
  const rows = bySection(cases).map(([section, results]) => {
    const { passed, failed, skipped } = countsOf(results)
    return [section, passed, failed, skipped].map(String)
  })
  return columns([['section', 'passed', 'failed', 'skipped'], ...rows])
}

function differences(title: string, cases: readonly CaseResult[], color: 'red' | 'yellow'): string {
  const lines = cases.map(({ id, expected, seen }) => {
    return `${paint(color, id)}\n${wrapped(`expected: ${expected}`)}\n${wrapped(`seen:     ${seen}`)}`
  })
  return block(`${title}: ${cases.length}`, lines.join('\n'))
}

/** Lists each reason for skipping once. */
function skippedTable(cases: readonly CaseResult[]): string {
  const reasons = Map.groupBy(cases, ({ outcome, reason = '' }) => (outcome === 'skipped' ? reason : undefined))
  reasons.delete(undefined)
  return [...reasons].map(([reason, results]) => wrapped(`${reason}`, `${results.length}`.padStart(3))).join('\n')
}

/** An interpretation is a text from the service, so non-printable characters are escaped. */
function interpretationText({ point, interpretation, known_by }: Finding): string {
  const isPlain = typeof interpretation === 'string' && /^[ -~]*$/.test(interpretation)
  const value = interpretation === undefined ? 'unknown' : isPlain ? interpretation : JSON.stringify(interpretation)
  return `${point.padEnd(20)}  ${value}\n${wrapped(known_by)}`
}

/** Wraps a text to the terminal's width, indented behind a label. A longer word gets its own line. */
function wrapped(text: string, label = ' '): string {
  const width = Math.max(40, process.stdout.columns ?? 80) - label.length - 1
  const lines = text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)|\\S+`, 'g')) ?? []
  return lines.map((line, place) => `${place === 0 ? label : ' '.repeat(label.length)} ${line}`).join('\n')
}

/** Aligns rows in columns, separated by two spaces. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map(row => row[place]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((text, place) => text.padEnd(widths[place] ?? 0)).join('  ')
  return rows.map(row => line(row).trimEnd()).join('\n')
}
