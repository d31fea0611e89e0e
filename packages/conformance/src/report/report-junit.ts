import { type JunitCase, junitDocument } from '@lead-distribution/junit'
import { bySection, type CaseResult, type ConformanceReport } from './report.ts'

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
