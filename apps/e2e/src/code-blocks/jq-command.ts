import { readFileSync } from 'node:fs'
import { raw } from 'jq-wasm'

// `jq [FLAG]… FILTER [FILE]`, as the guides use it. Readers have jq installed; the machine that tests the guides need not.
const args = process.argv.slice(2)
const flags = args.filter(arg => arg.startsWith('-'))
const [filter = '.', file] = args.filter(arg => !arg.startsWith('-'))
const text = await raw(readFileSync(file ?? 0, 'utf8'), filter, flags)
if (text !== '') console.log(text.replace(/\n$/, ''))
