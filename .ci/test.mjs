// `npm test`: the tests that a contributor needs to know, or those of the named folders and files, of whatever project.
// `npm test -- packages/engine -t blacklist` takes vitest's own arguments; `npm run test:all` runs every test.
import { parseCLI, startVitest } from 'vitest/node'

/** The projects of vitest.config.ts that need no process and no browser, and wait for nothing long. */
const projects = ['unit', 'scenarios']

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const chosen = filter.length > 0 || options.project ? {} : { project: projects }
const vitest = await startVitest('test', filter, { ...options, ...chosen, run: true, watch: false })
await vitest.exit()
