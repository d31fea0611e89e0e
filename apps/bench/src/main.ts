// What the hot path costs, as ratios against a bare server in the same run: `npm run bench`.
import { measureHotPath } from './hot-path.ts'
import { measureLeadCheck } from './lead-check.ts'
import { measureLongRun } from './long-run.ts'
import { measureStartUp } from './start-up.ts'
import { measureSubmit } from './submit.ts'
import { bindSelf } from './target.ts'

bindSelf(1)

await measureHotPath()
await measureSubmit()
measureLeadCheck()
await measureStartUp()
await measureLongRun()
