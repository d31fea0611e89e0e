import type { ConformanceCase } from './conformance-case.ts'
import { describeResponse } from './expectations.ts'
import { Mismatch, missingNeed, Unclear } from './mismatch.ts'
import type { CaseResult } from './report.ts'
import { redactor } from './send-request.ts'
import type { Target, TargetResponse } from './target.ts'

/** How cases are run. */
export interface RunOptions {
  /** How many run at a time; 1 by default. */
  readonly concurrency?: number
  /** Differences that are known, each with its reason, by the id of the case. */
  readonly baseline?: Readonly<Record<string, string>>
  /** Is called with each result as it comes. */
  readonly onResult?: (result: CaseResult) => void
}

/** Runs cases against a target; answers their results in the order of the cases. A case that throws has failed, or was skipped with the reason. */
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

/**
 * Submits one ordinary lead, to say in a sentence why no case can be run: nothing answers there,
 * the key is refused, the product is unknown. Undefined where the cases can be run.
 */
export async function preflight(target: Target): Promise<string | undefined> {
  const { baseUrl } = target.facts
  const response = await target
    .submit(target.submission())
    .catch(
      error => `No answer came from ${baseUrl}/lead (${reasonOf(error)}): check --base-url, and that the service runs.`,
    )
  if (typeof response === 'string') return response
  const reason = refusalOf(response)
  return reason && redactor(target.facts)(`${reason} It answered ${describeResponse(response)}`)
}

function refusalOf(response: TargetResponse): string | undefined {
  const { status, headers, json } = response
  const code = json?.error ?? json?.rejection_reason
  if (status >= 300 && status < 400)
    return `The service redirects to ${hostOf(headers.get('location'))}: redirects are not followed, for they would carry the key away. Give the address itself by --base-url.`
  if (status === 401 || status === 403)
    return "The publisher's key is refused: check --publisher-key, and that it is of this environment."
  if (code === 'invalid_product') return 'The product is unknown or takes no leads: check --product.'
  if (code === 'publisher_mismatch') return "The publisher_id is not the key's own: check --publisher-id."
  if (status === 404 || status === 405)
    return 'No service is at that address: give --base-url with its version, such as https://sandbox.example.com/api/v1.'
  if (status >= 500) return 'The service fails on an ordinary lead: fix that first.'
  if (status === 200 && json?.status === undefined)
    return 'What answers at that address is no lead distribution service: check --base-url.'
  return undefined
}

function hostOf(location: string | null): string {
  return location !== null && URL.canParse(location) ? new URL(location).host : 'another path'
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { code?: string } }
  return cause?.code ?? message
}
