#!/usr/bin/env node
// Older versions of Node must be able to load this file, so it imports the rest only after checking the version.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const needed = engines.node.replace('>=', '')
if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) < 0) {
  console.error(
    `lead-conformance needs Node ${needed} or newer (this is ${process.versions.node}): https://nodejs.org.`,
  )
  process.exitCode = 1
} else {
  const { run } = await import('./program.ts')
  // A reader such as `head` may close the pipe early. The results still decide the exit code.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
  process.exitCode = await run(process.argv.slice(2))
}
