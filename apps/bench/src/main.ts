// What the hot path costs, as ratios against a bare server in the same run: `npm run bench`; some of it by name:
// `npm run bench -- mocked submit`. `--size 1000000` has `databases` measure a store of that size, too.

import { parseArgs } from 'node:util'
import { measureCallbacks } from './callbacks.ts'
import { measureCrowd } from './crowd.ts'
import { measureDatabases } from './databases.ts'
import { measureHotPath } from './hot-path.ts'
import { measureLeadCheck } from './lead-check.ts'
import { measureLongRun } from './long-run.ts'
import { measureMocked } from './mocked.ts'
import { measureStartUp } from './start-up.ts'
import { measureSubmit } from './submit.ts'
import { bindSelf } from './target.ts'

const benchmarks: Readonly<Record<string, () => unknown>> = {
  'hot-path': measureHotPath,
  submit: measureSubmit,
  'lead-check': measureLeadCheck,
  mocked: measureMocked,
  'start-up': measureStartUp,
  'long-run': measureLongRun,
  crowd: measureCrowd,
  callbacks: measureCallbacks,
  databases: () => measureDatabases([10_000, 100_000, ...(values.size === undefined ? [] : [Number(values.size)])]),
}

const { positionals: asked, values } = parseArgs({ allowPositionals: true, options: { size: { type: 'string' } } })
const unknown = asked.filter(name => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0) {
  console.error(`No benchmark is named ${unknown.join(' or ')}. Name some of: ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}

if (values.size !== undefined && !(Number(values.size) > 100_000)) {
  console.error('--size is how many leads are stored, more than 100,000: --size 1000000.')
  process.exit(2)
}

bindSelf(1)

for (const [name, measure] of Object.entries(benchmarks))
  if (asked.length === 0 || asked.includes(name)) await measure()
