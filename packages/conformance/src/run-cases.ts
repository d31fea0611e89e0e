import type { ConformanceCase } from './conformance-case.ts'
import { Mismatch, missingNeed, Unclear } from './mismatch.ts'
import { redactor } from './redact.ts'
import type { CaseResult } from './report/report.ts'
import type { Target } from './target.ts'

/** How cases are run. */
export interface RunOptions {
  /** How many run at a time; 1 by default. */
  readonly concurrency?: number
  /** Differences that are known, each with its reason, by the id of the case. */
  readonly baseline?: Readonly<Record<string, string>>
  /** Is called with each result as it comes. */
  readonly onResult?: (result: CaseResult) => void
}

/** Runs cases against a target; answers their results in the order of the cases. Nothing is thrown. */
export async function runCases(
  cases: readonly ConformanceCase[],
  target: Target,
  { concurrency = 1, baseline = {}, onResult = () => undefined }: RunOptions = {},
): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  const waiting = cases.entries()
  const work = async () => {
    for (const [place, each] of waiting) {
      const result = await runCase(each, target, baseline[each.id])
      results[place] = result
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, cases.length) }, work))
  return results
}

/** Runs one case; `known` is why it may fail. */
export async function runCase(each: ConformanceCase, target: Target, known?: string): Promise<CaseResult> {
  const { id, title, statements, weight = 'specification' } = each
  const about = { id, title, statements, weight }
  const missing = missingNeed(each.needs ?? [], target)
  if (missing) return { ...about, outcome: 'skipped', reason: missing, seconds: 0 }
  const start = performance.now()
  const seconds = () => Math.round(performance.now() - start) / 1000
  try {
    await each.run(target)
    return { ...about, outcome: 'passed', seconds: seconds(), ...(known !== undefined && { no_longer_known: known }) }
  } catch (error) {
    const redacted = redactor(target.facts)
    if (error instanceof Unclear)
      return { ...about, outcome: 'skipped', reason: redacted(error.message), seconds: seconds() }
    const { expected, seen } = error instanceof Mismatch ? error : { expected: 'an answer', seen: crashOf(error) }
    const difference = { expected: redacted(expected), seen: redacted(seen), seconds: seconds() }
    if (known !== undefined) return { ...about, outcome: 'known', reason: known, ...difference }
    return { ...about, outcome: 'failed', ...difference }
  }
}

/** What went wrong where no answer came: fetch keeps its reason in the cause. */
function crashOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
