import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { statements } from '@lead-distribution/conformance'
import { root } from '../output.ts'
import { conformanceTable, coverageOf, type ReportedTest, tablePath, unshown } from './coverage.ts'

// `npm run check:conformance -- REPORT…`: fails if a statement has no passing test, or if a title refers to an unknown
// statement. Writes the full table.
const reports = process.argv.slice(2)
if (reports.length === 0) {
  console.error('Pass a report written by vitest with --reporter=json: npm run check:conformance -- REPORT…')
  process.exit(2)
}
const tests = reports.flatMap(reportedTests)
const missing = unshown(coverageOf(tests.filter(({ passed }) => passed)))
const { unknown } = coverageOf(tests)
mkdirSync(dirname(join(root, tablePath)), { recursive: true })
writeFileSync(join(root, tablePath), conformanceTable(tests))

for (const [id, text] of missing) console.error(`No passing test covers ${id}: ${text}`)
for (const tag of unknown)
  console.error(`There is no statement ${tag}: correct the title of the test, or add a statement.`)
const total = Object.keys(statements).length
console.log(
  `${total - missing.length} of ${total} statements are covered by a passing test. The full table is in ${tablePath}.`,
)
process.exitCode = missing.length + unknown.length === 0 ? 0 : 1

interface Report {
  testResults: { name: string; assertionResults: { status: string; ancestorTitles: string[]; title: string }[] }[]
}

/** Reads the tests in vitest's JSON report, including those that were skipped or failed. */
function reportedTests(reportPath: string): ReportedTest[] {
  const { testResults }: Report = JSON.parse(readFileSync(reportPath, 'utf8'))
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ status, ancestorTitles, title }) => ({
      file: relative(root, file).replaceAll('\\', '/'),
      name: [...ancestorTitles, title].join(' > '),
      passed: status === 'passed',
    })),
  )
}
