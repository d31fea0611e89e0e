// Starts a program on a server's runtime: `start.mjs smoke SETTINGS`, or `faults`.
import { meetFaults } from './faults.mjs'
import { smoke } from './smoke.mjs'

const [program, settings] = process.argv.slice(2)
const run = program === 'faults' ? meetFaults : smoke
console.log(JSON.stringify(await run(JSON.parse(settings))))
