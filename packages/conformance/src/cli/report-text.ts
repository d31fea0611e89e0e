import { styleText } from 'node:util'
import { breachesOf, bySection, type CaseResult, type ConformanceReport, countsOf, differencesOf } from '../report.ts'

const paint = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

/** A report for people: the counts of each section, each difference with what was seen, and the interpretations. */
export function reportText(report: ConformanceReport): string {
  const { cases, interpretations, base_url } = report
  const parts = [
    `${paint('bold', `Conformance of ${base_url}`)}\n\n${sectionTable(cases)}`,
    differences('Against the specification', breachesOf(cases), 'red'),
    differences('Other interpretations of what the specification leaves open', differencesOf(cases), 'yellow'),
    differences(
      'Known differences',
      cases.filter(({ outcome }) => outcome === 'known'),
      'yellow',
    ),
    stale(cases),
    skipped(cases),
    interpretations.length > 0 &&
      `${paint('bold', 'Its interpretation of each open point')}\n\n${interpretationTable(report)}`,
    verdict(report),
  ]
  return parts.filter(part => part).join('\n\n')
}

function sectionTable(cases: readonly CaseResult[]): string {
  const rows = bySection(cases).map(([section, results]) => {
    const { passed, failed, known, skipped: left } = countsOf(results)
    return [section, passed, failed, known, left].map(String)
  })
  return columns([['section', 'passed', 'failed', 'known', 'skipped'], ...rows])
}

function differences(title: string, cases: readonly CaseResult[], colour: 'red' | 'yellow'): string | undefined {
  if (cases.length === 0) return undefined
  const lines = cases.map(({ id, title: what, expected, seen, reason, outcome }) =>
    [
      `${paint(colour, id)}  ${what}`,
      ...(outcome === 'known' ? [`  known:    ${reason}`] : []),
      `  expected: ${expected}`,
      `  seen:     ${seen}`,
    ].join('\n'),
  )
  return `${paint('bold', `${title}: ${cases.length}`)}\n\n${lines.join('\n')}`
}

function stale(cases: readonly CaseResult[]): string | undefined {
  const gone = cases.filter(({ no_longer_known }) => no_longer_known !== undefined)
  if (gone.length === 0) return undefined
  return `${paint('bold', 'Known differences that are gone: remove them from the baseline')}\n\n${gone.map(({ id }) => id).join('\n')}`
}

/** Why cases were skipped, each reason once. */
function skipped(cases: readonly CaseResult[]): string | undefined {
  const reasons = Map.groupBy(
    cases.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason = '' }) => reason,
  )
  if (reasons.size === 0) return undefined
  const rows = [...reasons].map(([reason, left]) => [String(left.length), reason])
  return `${paint('bold', 'Skipped')}\n\n${columns(rows)}`
}

function interpretationTable({ interpretations }: ConformanceReport): string {
  const rows = interpretations.map(({ point, interpretation, known_by }) => [point, textOf(interpretation), known_by])
  return columns([['point', 'interpretation', 'how we know'], ...rows])
}

function textOf(interpretation: unknown): string {
  if (interpretation === undefined) return 'not found out'
  return typeof interpretation === 'string' ? interpretation : JSON.stringify(interpretation)
}

function verdict({ conforms, counts, cases, seconds }: ConformanceReport): string {
  const { passed, failed, known, skipped: left } = counts
  const result = conforms ? paint('green', 'It conforms.') : paint('red', 'It does not conform.')
  const interpretations = differencesOf(cases).length
  return `${result} ${passed} passed, ${failed} failed (${interpretations} of them by another interpretation), ${known} known, ${left} skipped, in ${seconds.toFixed(1)} s.`
}

/** Rows in columns, two blanks between them; the last column is as wide as it comes. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map(row => row[place]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((text, place) => text.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}
