// `npm test`: a contributor's everyday tests, or those in the given folders and files, in any project.
// `npm test -- packages/engine -t blacklist` passes vitest's own arguments. `npm run test:all` runs every test.
import { parseCLI, startVitest } from 'vitest/node'

/** The projects in vitest.config.ts that need no process or browser, and have no long waits. */
const projects = ['unit', 'scenarios']

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const chosen = filter.length > 0 || options.project ? {} : { project: projects }
const vitest = await startVitest('test', filter, { ...options, ...chosen, run: true, watch: false })
await vitest.exit()
