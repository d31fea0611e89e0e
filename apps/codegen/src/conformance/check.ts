import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { statements } from '@lead-distribution/conformance'
import { root } from '../root.ts'
import { reportedTests } from './collect-tests.ts'
import { coverageOf, unshown } from './coverage.ts'
import { conformanceSummary, conformanceTable, summaryPath, tablePath } from './tables.ts'

// `npm run check:conformance -- REPORT…`: fails where a statement has no test that ran and passed, where a title names an
// unknown statement, and where the summary is stale. Writes the full table.
const reports = process.argv.slice(2)
if (reports.length === 0) {
  console.error('Name a report that vitest wrote by --reporter=json: npm run check:conformance -- REPORT…')
  process.exit(2)
}
const tests = (await Promise.all(reports.map(reportedTests))).flat()
const missing = unshown(coverageOf(tests.filter(({ passed }) => passed)))
const { unknown } = coverageOf(tests)
const isStale = readFileSync(join(root, summaryPath), 'utf8') !== conformanceSummary(tests)
mkdirSync(dirname(join(root, tablePath)), { recursive: true })
writeFileSync(join(root, tablePath), conformanceTable(tests))

for (const [id, text] of missing) console.error(`No test that passed shows ${id}: ${text}`)
for (const tag of unknown) console.error(`There is no statement ${tag}: correct the title of the test, or add one.`)
if (isStale) console.error(`${summaryPath} is stale: run npm run generate.`)
const total = Object.keys(statements).length
console.log(
  `${total - missing.length} of ${total} statements are shown by a test that passed. All are in ${tablePath}.`,
)
process.exitCode = missing.length + unknown.length === 0 && !isStale ? 0 : 1
