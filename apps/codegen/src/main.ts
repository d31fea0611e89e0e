import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Output, root } from './output.ts'
import { wireOutputs } from './wire.ts'

// `npm run generate` writes every generated file. `npm run generate -- --check` writes none, and fails if one is stale.
const [flag, ...more] = process.argv.slice(2)
if (flag === undefined) await generate()
else if (flag === '--check' && more.length === 0) await check()
else {
  console.error('Unknown arguments. Run npm run generate, or npm run generate -- --check.')
  process.exitCode = 2
}

async function generate(): Promise<void> {
  // First, because the generators of the other files may not load while a new field has no statement.
  await write(wireOutputs)
  const { outputs } = await import('./outputs.ts')
  await write(outputs.filter(output => !wireOutputs.includes(output)))
}

async function write(outputs: readonly Output[]): Promise<void> {
  for (const { path, text } of outputs) {
    // Replaced at once, so that a test that runs beside this never reads half a file.
    const file = join(root, path)
    writeFileSync(`${file}.new`, await text())
    renameSync(`${file}.new`, file)
    console.log(`Wrote ${path}.`)
  }
}

async function check(): Promise<void> {
  const { isStale, outputs } = await import('./outputs.ts')
  let stale = 0
  for (const output of outputs) {
    if (!(await isStale(output))) continue
    stale += 1
    console.error(`${output.path} is stale: run npm run generate.`)
  }
  console.log(`${outputs.length - stale} of ${outputs.length} generated files are up to date.`)
  process.exitCode = stale === 0 ? 0 : 1
}
