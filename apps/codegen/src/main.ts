import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectTests } from './conformance/collect-tests.ts'
import { conformanceSummary, summaryPath } from './conformance/tables.ts'
import { isStale, outputs } from './outputs.ts'
import { root } from './root.ts'

// `npm run generate` writes every generated file. `npm run generate -- --check` writes none, and fails where one is
// stale; it leaves the summary of conformance to `npm run check:conformance`, which has the report of the tests.
const [flag, ...more] = process.argv.slice(2)
if (more.length > 0 || (flag !== undefined && flag !== '--check')) {
  console.error('Unknown argument. Run npm run generate, or npm run generate -- --check.')
  process.exitCode = 2
} else if (flag === '--check') check()
else await generate()

function check(): void {
  const stale = outputs.filter(isStale)
  for (const { path } of stale) console.error(`${path} is stale: run npm run generate.`)
  console.log(`${outputs.length - stale.length} of ${outputs.length} generated files are up to date.`)
  process.exitCode = stale.length === 0 ? 0 : 1
}

async function generate(): Promise<void> {
  for (const { path, text } of outputs) write(path, text())
  console.log('Listing the tests of the repository, which takes a minute…')
  write(summaryPath, conformanceSummary(await collectTests()))
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text)
  console.log(`Wrote ${path}.`)
}
