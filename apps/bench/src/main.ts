// Runs the benchmarks: `npm run bench`, or some by name: `npm run bench -- mocked submit`. Figures are ratios to a bare
// server in the same run. `--size 1000000` applies to those that measure many stored leads.

import { parseArgs } from 'node:util'
import { measureCallbacks } from './callbacks.ts'
import { measureConsole } from './console.ts'
import { measureCrowd } from './crowd.ts'
import { measureDatabases } from './databases.ts'
import { measureHotPath } from './hot-path.ts'
import { measureLeadCheck } from './lead-check.ts'
import { measureLongRun } from './long-run.ts'
import { measureMocked } from './mocked.ts'
import { measurePeers } from './peers.ts'
import { measureStartUp } from './start-up.ts'
import { measureSubmit } from './submit.ts'
import { bindSelf } from './target.ts'

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string' },
  },
})
const size = Number(values.size ?? 100_000)

const benchmarks: Readonly<Record<string, () => unknown>> = {
  'hot-path': measureHotPath,
  submit: measureSubmit,
  'lead-check': measureLeadCheck,
  mocked: measureMocked,
  'start-up': measureStartUp,
  'long-run': () => measureLongRun(size),
  crowd: measureCrowd,
  callbacks: measureCallbacks,
  databases: () => measureDatabases([...new Set([10_000, 100_000, size])]),
  console: () => measureConsole(size),
}

/** Only run by name, because they install other programs and write a page of the documentation. */
const named: typeof benchmarks = { peers: measurePeers }

const all = { ...benchmarks, ...named }
const unknown = asked.filter(name => !Object.hasOwn(all, name))
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. The benchmarks are ${Object.keys(all).join(', ')}.`)
  process.exit(2)
}

if (!(size >= 100_000)) {
  console.error('--size is the number of stored leads, at least 100,000: --size 1000000.')
  process.exit(2)
}

bindSelf(1)

for (const [name, measure] of Object.entries(asked.length === 0 ? benchmarks : all)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const start = performance.now()
  await measure()
  console.log(`  ${name} took ${((performance.now() - start) / 1000).toFixed(0)} s`)
}
