import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { decodeUtf8 } from '@lead-distribution/contract'
import { fieldIssues } from '@lead-distribution/contract/shapes'
import { z } from 'zod/mini'
import type { BaselineChange, ConformanceReport } from '../report.ts'
import { CommandError } from './command-error.ts'

/** A run as the next one is compared with it. */
const baselineShape = z.strictObject({
  /** The reason for each difference, by case id. */
  failed: z.record(z.string(), z.string()),
  /** The interpretation of each open point, as far as it is known. */
  interpretations: z.record(z.string(), z.unknown()),
})

/** A run as the next one is compared with it. */
export type Baseline = z.infer<typeof baselineShape>

const unexplained = 'Explain this difference.'

/**
 * Reads a baseline. Resolves to undefined if there is no such file and the run creates it. Rejects with a
 * {@link CommandError} if it isn't a baseline, or if it names an unknown case.
 */
export async function readBaseline(
  file: string,
  ids: readonly string[],
  isUpdated: boolean,
): Promise<Baseline | undefined> {
  if (isUpdated && !existsSync(file)) return undefined
  const document = await readJsonFile(file, '--baseline').catch(error => {
    throw existsSync(file) ? error : new CommandError(`${error.message} To create it, add --update-baseline.`)
  })
  const issues = fieldIssues(baselineShape.safeParse(document).error?.issues ?? [], document)
  if (issues.length > 0)
    throw new CommandError(
      `${file} is not a baseline: ${issues.map(({ field, issue }) => `${field} ${issue}`).join(', ')}. Delete it, and create it again with --update-baseline.`,
    )
  const baseline = document as Baseline
  const unknown = Object.keys(baseline.failed).find(id => !ids.includes(id))
  if (unknown !== undefined)
    throw new CommandError(
      `${file} names the unknown case ${JSON.stringify(unknown)}: remove it. --list shows all ids.`,
    )
  return baseline
}

/** Returns what is different from the baseline: cases in their order, then open points. */
export function changesSince({ interpretations: before }: Baseline, run: Run): BaselineChange[] {
  const cases = run.cases.flatMap(({ id, outcome, no_longer_known }) => {
    if (outcome === 'failed') return [{ id, was: 'not a difference', is: 'failed' }]
    return no_longer_known === undefined ? [] : [{ id, was: 'failed', is: 'passed' }]
  })
  const points = run.interpretations.flatMap(({ point, interpretation }) => {
    const was = Object.hasOwn(before, point) ? before[point] : undefined
    if (was === undefined || interpretation === undefined || isDeepStrictEqual(was, interpretation)) return []
    return [{ id: point, was, is: interpretation }]
  })
  return [...cases, ...points]
}

/** Writes the run as the baseline of the next one. What it could not tell stays as it was. */
export async function writeBaseline(file: string, run: Run, before: Baseline | undefined): Promise<void> {
  const told = new Map(run.cases.map(({ id, outcome }) => [id, outcome]))
  const kept = Object.entries(before?.failed ?? {}).filter(([id]) => (told.get(id) ?? 'skipped') === 'skipped')
  const found = run.cases
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'known')
    .map(({ id, outcome, reason }) => [id, outcome === 'known' ? reason : unexplained])
  const known = run.interpretations
    .filter(({ interpretation }) => interpretation !== undefined)
    .map(({ point, interpretation }) => [point, interpretation])
  const baseline = {
    failed: Object.fromEntries([...kept, ...found].sort(([a = ''], [b = '']) => (a < b ? -1 : 1))),
    interpretations: { ...before?.interpretations, ...Object.fromEntries(known) },
  }
  await writeText(file, `${JSON.stringify(baseline, null, 2)}\n`)
}

type Run = Pick<ConformanceReport, 'cases' | 'interpretations'>

/** Reads a JSON file. Rejects with a {@link CommandError} if it is missing or isn't a JSON object. */
export async function readJsonFile(file: string, flag: string): Promise<object> {
  const bytes = await readFile(file).catch(({ code }) => {
    throw new CommandError(`Could not read ${file} (${code}): pass an existing file to ${flag}.`)
  })
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(`${file} ${error.message}`)
  }
  throw new CommandError(`${file} is not a JSON object: pass a file with one to ${flag}.`)
}

/** Writes a text file. Rejects with a {@link CommandError} if that fails. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(({ code }) => {
    throw new CommandError(`Could not write ${file} (${code}): pass a file in an existing folder.`)
  })
}
