// Starts the smoke program on a server's runtime.
import { smoke } from './smoke.mjs'

console.log(`${await smoke(JSON.parse(process.argv[2]))} things hold`)
