import { createReadStream } from 'node:fs'
import type { ReproDifference } from '@lead-distribution/simulator/repro'
import type { Command } from 'commander'
import { CommandError } from './exit-codes.ts'
import { explanationText } from './leads.ts'
import { plain, table } from './printing.ts'
import { unreadable } from './values.ts'

export function describeRepro(command: Command): void {
  const run = command
    .command('run')
    .description('Make the decision of a repro file again, in memory. Ends with 1 if it is another one.')
    .argument('<file>', 'the output of leads repro; - for stdin')
    .addHelpText('after', '\nIt calls no sandbox and stores nothing.\n\nExample:\n  $ lead-sandbox repro run bug.json')
  run.action(() => runFile(run.processedArgs[0]))
}

async function runFile(file: string): Promise<void> {
  // Loaded here: it brings the rules.
  const { maxReproBytes, runRepro } = await import('@lead-distribution/simulator/repro')
  const result = await runRepro(await readUpTo(maxReproBytes, file))
  if (result.issues) {
    const wrong = result.issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
    throw new CommandError(`${file} is not a repro file: ${wrong}. Make one: lead-sandbox leads repro LEAD_ID.`)
  }
  const { got, difference } = result
  console.log(explanationText({ ...got, warnings: [] }))
  if (difference) {
    console.log(`\n${differenceText(difference)}`)
    throw new CommandError(`The decision is not the one of ${file}. It differs first at: ${difference.at}.`)
  }
  console.log(`\nThe decision is the one of ${file}.`)
}

/** Reads a file, or stdin where its name is `-`; of a larger one, enough to see that it is larger. */
async function readUpTo(bytes: number, file: string): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let read = 0
  try {
    for await (const piece of file === '-' ? process.stdin : createReadStream(file)) {
      pieces.push(piece)
      read += piece.length
      if (read > bytes) break
    }
  } catch (error) {
    throw unreadable(file, error)
  }
  return Buffer.concat(pieces)
}

/** The first difference, field by field. */
function differenceText({ expected, got }: ReproDifference): string {
  const [before, now] = [Object(expected), Object(got)]
  const rows = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter(name => name !== 'hint' && plain(before[name]) !== plain(now[name]))
    .map(name => [name, text(before[name]), text(now[name])])
  return table(['differs', 'expected', 'got'], rows)
}

const text = (value: unknown) => (value === undefined ? undefined : plain(value))
