// Starts the program of faults on a server's runtime.
import { meetFaults } from './faults.mjs'

console.log(JSON.stringify(await meetFaults(JSON.parse(process.argv[2]))))
