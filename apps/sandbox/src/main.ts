#!/usr/bin/env -S node --max-semi-space-size=16
// The flag limits V8's young generation, MiB; by default it grows to three times that under load. Older versions of
// Node must be able to parse this file, so it imports the rest only if the version is high enough.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = engines.node.replace('>=', '')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
// No comparison with `Intl`, which takes 5 ms to load.
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(`lead-sandbox needs Node ${needed} or newer (this is ${process.versions.node}): https://nodejs.org.`)
  process.exitCode = 1
} else {
  const { enableCompileCache } = await import('./compile-cache.ts')
  enableCompileCache()
  const { run } = await import('./cli/program.ts')
  const { endWithReader } = await import('./cli/stop-signal.ts')
  endWithReader()
  process.exitCode = await run(process.argv.slice(2))
}
