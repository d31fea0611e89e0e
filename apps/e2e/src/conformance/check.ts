import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { statements } from '@lead-distribution/conformance'
import { root } from '../architecture/root.ts'
import { reportedTests } from './collect-tests.ts'
import { coverageOf, unshown } from './coverage.ts'
import { conformancePath, conformanceTable } from './table.ts'

// `npm run check:conformance -- REPORT`: every statement is shown by a test that was run and passed, no title names one
// that there is not, and the table tells the tests that there are.
const [report] = process.argv.slice(2)
if (!report) {
  console.error('Say which report: npm run check:conformance -- REPORT, vitest having written it by --reporter=json.')
  process.exit(2)
}
const tests = await reportedTests(report)
const missing = unshown(coverageOf(tests.filter(({ passed }) => passed)))
const { unknown } = coverageOf(tests)
const isStale = readFileSync(join(root, conformancePath), 'utf8') !== conformanceTable(tests)
for (const [id, text] of missing) console.error(`No test that passed shows ${id}: ${text}`)
for (const tag of unknown) console.error(`There is no statement ${tag}: mend the title of the test, or write one.`)
if (isStale) console.error(`${conformancePath} is stale: run npm run generate.`)
const total = Object.keys(statements).length
console.log(`${total - missing.length} of ${total} statements are shown by a test that passed.`)
process.exitCode = missing.length + unknown.length === 0 && !isStale ? 0 : 1
