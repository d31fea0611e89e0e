import { readFile, writeFile } from 'node:fs/promises'
import type { CaseResult } from '../report.ts'
import { CommandError } from './command-error.ts'

/** Known differences: the reason for each, by case id. */
export type Baseline = Readonly<Record<string, string>>

const unexplained = 'Explain this difference.'

/** Reads a baseline. Rejects with a {@link CommandError} if it isn't one, or if it names an unknown case. */
export async function readBaseline(file: string, ids: readonly string[]): Promise<Baseline> {
  const baseline = await readJsonFile(file, '--baseline')
  const strange = Object.entries(baseline).find(([id, reason]) => !ids.includes(id) || typeof reason !== 'string')
  if (strange)
    throw new CommandError(
      `${file} has an invalid entry ${JSON.stringify(strange[0])}: a baseline maps case ids (see --list) to reasons.`,
    )
  return baseline as Baseline
}

/** Writes the current differences as a baseline. Reasons from the previous one are kept. */
export async function writeBaseline(file: string, cases: readonly CaseResult[], before: Baseline): Promise<void> {
  const differing = cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'known')
  const baseline = Object.fromEntries(differing.map(({ id }) => [id, before[id] ?? unexplained]))
  await writeText(file, `${JSON.stringify(baseline, null, 2)}\n`)
}

/** Reads a JSON file. Rejects with a {@link CommandError} if it is missing or isn't a JSON object. */
export async function readJsonFile(file: string, flag: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch(({ code }) => {
    throw new CommandError(`Could not read ${file} (${code}): pass an existing file to ${flag}.`)
  })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new CommandError(`${file} is not a JSON object: pass a file with one to ${flag}.`)
}

/** Writes a text file. Rejects with a {@link CommandError} if that fails. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(({ code }) => {
    throw new CommandError(`Could not write ${file} (${code}): pass a file in an existing folder.`)
  })
}
