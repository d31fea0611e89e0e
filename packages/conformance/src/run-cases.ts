import { type ConformanceCase, Mismatch, missingNeed, Unclear } from './case.ts'
import { describeResponse } from './expectations.ts'
import { redactor } from './facts.ts'
import { checkOptions } from './options.ts'
import type { CaseResult } from './report.ts'
import type { Target, TargetResponse } from './target.ts'

/**
 * The options of a run.
 * @category Options
 */
export interface RunOptions {
  /** The number of cases that run concurrently. Default: 1. */
  readonly concurrency?: number
  /** Called with each result as it becomes available. */
  readonly onResult?: (result: CaseResult) => void
}

/**
 * Runs cases against a target. Resolves with the results in the order of the cases. A failing case doesn't reject.
 * @throws TypeError if an option is unknown.
 * @category Testing
 */
export async function runCases(
  cases: readonly ConformanceCase[],
  target: Target,
  options: RunOptions = {},
): Promise<CaseResult[]> {
  checkOptions('runCases', options, ['concurrency', 'onResult'] satisfies (keyof RunOptions)[])
  const { concurrency = 1, onResult } = options
  const results: CaseResult[] = []
  const waiting = cases.entries()
  const work = async () => {
    for (const [place, each] of waiting) {
      const result = await runCase(each, target)
      results[place] = result
      onResult?.(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, cases.length) }, work))
  return results
}

async function runCase(each: ConformanceCase, target: Target): Promise<CaseResult> {
  const { id, statements, weight, needs } = each
  const about = { id, statements, weight }
  const missing = missingNeed(needs, target)
  if (missing) return { ...about, outcome: 'skipped', reason: missing, seconds: 0 }
  const start = performance.now()
  const seconds = () => Math.round(performance.now() - start) / 1000
  try {
    await each.run(target)
    return { ...about, outcome: 'passed', seconds: seconds() }
  } catch (error) {
    const redacted = redactor(target.facts)
    if (error instanceof Unclear)
      return { ...about, outcome: 'skipped', reason: redacted(error.message), seconds: seconds() }
    const { expected, seen } = error instanceof Mismatch ? error : { expected: 'a response', seen: crashOf(error) }
    return { ...about, outcome: 'failed', expected: redacted(expected), seen: redacted(seen), seconds: seconds() }
  }
}

/** Describes an error other than a mismatch. `fetch` puts the reason into its cause. */
function crashOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

/** Submits one ordinary lead. Returns a sentence that says why no case can run, or undefined if the cases can run. */
export async function preflight(target: Target): Promise<string | undefined> {
  const { baseUrl } = target.facts
  const response = await target.submit(target.submission()).catch(({ message, cause }) => {
    return `No response from ${baseUrl}/lead (${cause?.code ?? message}): check --base-url, and that the service is running.`
  })
  if (typeof response === 'string') return response
  const problem = problemOf(response)
  return problem && redactor(target.facts)(`${problem} Response: ${describeResponse(response)}`)
}

function problemOf({ status, headers, json }: TargetResponse): string | undefined {
  const code = json?.error ?? json?.rejection_reason
  const location = headers.get('location') ?? ''
  const host = URL.canParse(location) ? new URL(location).host : 'another path'
  if (status >= 300 && status < 400)
    return `The service redirects to ${host}. Redirects are not followed, because they would leak the key: pass the final URL to --base-url.`
  if (status === 401 || status === 403)
    return "The service refuses the publisher's key: check --publisher-key, and that the key belongs to this environment."
  if (code === 'invalid_product') return 'The product is unknown or inactive: check --product.'
  if (code === 'publisher_mismatch') return 'The publisher_id does not belong to the key: check --publisher-id.'
  if (status === 404 || status === 405)
    return 'No service found at that URL: pass --base-url including the version, such as https://sandbox.example.com/api/v1.'
  if (status >= 500) return 'The service fails on an ordinary lead: fix that first.'
  if (status === 200 && json?.status === undefined)
    return 'That URL is not a lead distribution service: check --base-url.'
  return undefined
}
