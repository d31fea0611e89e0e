import type { CaseResult } from '../report/report.ts'
import { CommandFault } from './command-fault.ts'
import { readJsonFile, writeText } from './files.ts'

/** Known differences: why, by the id of the case. */
export type Baseline = Readonly<Record<string, string>>

const unexplained = 'Say why this is so.'

/** Reads a baseline. Rejects with a {@link CommandFault} where it is none, or names a case that there is not. */
export async function readBaseline(file: string, ids: readonly string[]): Promise<Baseline> {
  const baseline = await readJsonFile(file, '--baseline')
  const strange = Object.entries(baseline).find(([id, reason]) => !ids.includes(id) || typeof reason !== 'string')
  if (strange)
    throw new CommandFault(
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
