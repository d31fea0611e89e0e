import { statements } from '@lead-distribution/conformance'
import { passedTests } from './collect-tests.ts'
import { coverageOf, unshown } from './coverage.ts'

// `npm run check:conformance -- REPORT`: every statement is shown by a test that was run and passed.
const [report] = process.argv.slice(2)
if (!report) {
  console.error('Say which report: npm run check:conformance -- REPORT, vitest having written it by --reporter=json.')
  process.exit(2)
}
const missing = unshown(coverageOf(await passedTests(report)))
for (const [id, text] of missing) console.error(`No test that passed shows ${id}: ${text}`)
const total = Object.keys(statements).length
console.log(`${total - missing.length} of ${total} statements are shown by a test that passed.`)
process.exitCode = missing.length === 0 ? 0 : 1
