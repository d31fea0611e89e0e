import { readFile, writeFile } from 'node:fs/promises'
import type { CaseResult } from '../report.ts'
import { CommandError } from './command-error.ts'

/** Known differences: why, by the id of the case. */
export type Baseline = Readonly<Record<string, string>>

const unexplained = 'Say why this is so.'

/** Reads a baseline. Rejects with a {@link CommandError} where it is none, or names a case that there is not. */
export async function readBaseline(file: string, ids: readonly string[]): Promise<Baseline> {
  const baseline = await readJsonFile(file, '--baseline')
  const strange = Object.entries(baseline).find(([id, reason]) => !ids.includes(id) || typeof reason !== 'string')
  if (strange)
    throw new CommandError(
      `${file} has ${JSON.stringify(strange[0])}: it must hold the ids of cases (--list shows them), each with a reason.`,
    )
  return baseline as Baseline
}

/** Writes what differs now as a baseline; reasons that were given before stay. */
export async function writeBaseline(file: string, cases: readonly CaseResult[], before: Baseline): Promise<void> {
  const differing = cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'known')
  const baseline = Object.fromEntries(differing.map(({ id }) => [id, before[id] ?? unexplained]))
  await writeText(file, `${JSON.stringify(baseline, null, 2)}\n`)
}

/** What a JSON file holds. Rejects with a {@link CommandError} where it is not there or no JSON object. */
export async function readJsonFile(file: string, flag: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch(({ code }) => {
    throw new CommandError(`Could not read ${file} (${code}): give ${flag} a file that is there.`)
  })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new CommandError(`${file} is no JSON object: give ${flag} one that is.`)
}

/** Writes a text. Rejects with a {@link CommandError} where it cannot be written. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(({ code }) => {
    throw new CommandError(`Could not write ${file} (${code}): name a file in a folder that is there.`)
  })
}
