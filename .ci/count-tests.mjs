// Prints the closing line of a test run, `N passed, N failed, N skipped`, counted in vitest's JSON report:
// `node .ci/count-tests.mjs REPORT`. A missing report, a failure and a run without a test end with exit code 1.
import { readFileSync } from 'node:fs'

const { line, passed } = closingLine(readReport(process.argv[2]))
console.log(line)
process.exitCode = passed ? 0 : 1

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    console.error(`There is no report of the tests to count: ${error.message}`)
    return undefined
  }
}

function closingLine(report) {
  const files = report?.testResults ?? []
  const statuses = files.flatMap(file => file.assertionResults.map(test => test.status))
  const count = status => statuses.filter(each => each === status).length
  // A file that cannot be loaded has no tests, and an error outside of any test fails none: each counts as one.
  const broken = files.filter(
    file => file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed'),
  ).length
  const passing = count('passed')
  const failing = count('failed') + broken
  const failed = failing === 0 && !(report?.success && passing > 0) ? 1 : failing
  const skipped = statuses.length - passing - count('failed')
  return {
    line: `${passing} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    passed: failed === 0,
  }
}
