import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CollectedTest, collectTests, reportedTests } from './conformance/collect-tests.ts'
import { conformanceSummary, summaryPath } from './conformance/tables.ts'
import { isStale, outputs } from './outputs.ts'
import { root } from './root.ts'

// `npm run generate` writes every generated file. With `--report REPORT…` it takes the titles of the tests from reports that
// vitest wrote by --reporter=json, instead of listing them; with `--without-tests` it leaves the summary of conformance,
// which alone is made from them. `npm run generate -- --check` writes none, and fails where one
// is stale; it leaves the summary of conformance to `npm run check:conformance`, which has the report of the tests.
const [flag, ...reports] = process.argv.slice(2)
if (flag === undefined) {
  console.log('Listing the tests of the repository, which takes minutes: --report REPORT… is faster.')
  await generate(await collectTests())
} else if (flag === '--report' && reports.length > 0) {
  await generate((await Promise.all(reports.map(reportedTests))).flat())
} else if (flag === '--without-tests' && reports.length === 0) await writeOutputs()
else if (flag === '--check' && reports.length === 0) await check()
else {
  console.error(
    'Unknown arguments. Run npm run generate, alone or with one of these after a --: --check, --report REPORT…, --without-tests.',
  )
  process.exitCode = 2
}

async function check(): Promise<void> {
  let stale = 0
  for (const output of outputs) {
    if (!(await isStale(output))) continue
    stale += 1
    console.error(`${output.path} is stale: run npm run generate.`)
  }
  console.log(`${outputs.length - stale} of ${outputs.length} generated files are up to date.`)
  process.exitCode = stale === 0 ? 0 : 1
}

async function writeOutputs(): Promise<void> {
  for (const { path, text } of outputs) write(path, await text())
}

async function generate(tests: readonly CollectedTest[]): Promise<void> {
  await writeOutputs()
  write(summaryPath, conformanceSummary(tests))
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text)
  console.log(`Wrote ${path}.`)
}
