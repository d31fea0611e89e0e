// Runs checks a few at a time and prints a line for each. A check resolves to a note on what it saw, and rejects with
// what is wrong.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const execFileAsync = promisify(execFile)

/** Runs a program to its end. On Windows those of npm are .cmd files, which only a shell runs. */
export function execute(file, args, options = {}) {
  return execFileAsync(file, args, { shell: process.platform === 'win32', timeout: 300_000, ...options })
}

/** A rejection of a check: each problem is a line, or some. */
export function reject(problems) {
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Runs checks, each a name and a function; gives how many found a problem. */
export async function runChecks(checks) {
  const waiting = [...checks]
  let bad = 0
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) if (!(await passes(check))) bad += 1
  }
  await Promise.all(Array.from({ length: Math.min(checks.length, availableParallelism()) }, worker))
  return bad
}

async function passes({ name, run }) {
  const from = performance.now()
  try {
    const note = await run()
    const seconds = ((performance.now() - from) / 1000).toFixed(1)
    console.log(`ok      ${name}${note ? `: ${note}` : ''} (${seconds} s)`)
    return true
  } catch (error) {
    console.log(`problem ${name}`)
    console.log(`        ${wordsOf(error).replaceAll('\n', '\n        ')}`)
    return false
  }
}

/** The output of a program before it failed: it says more than that it failed. */
function wordsOf({ message, stdout, stderr, killed }) {
  if (killed) return `It did not end in time and was stopped. ${stderr}`.trim()
  const lines = ([stdout, stderr].filter(Boolean).join('\n').trim() || String(message).trim()).split('\n')
  return lines.length > 40
    ? [...lines.slice(0, 40), `… and ${lines.length - 40} lines more`].join('\n')
    : lines.join('\n')
}
