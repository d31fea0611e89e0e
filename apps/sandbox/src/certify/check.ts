import type { Settings } from '@lead-distribution/engine'

/** A reading of what the specification leaves open. */
export type ProfileName = Settings['profile']

/** What came of a check. `not_seen`: nothing failed, and nothing was proved either. */
export type Verdict = 'passed' | 'failed' | 'not_seen'

/** What a check found: what was seen, or, where nothing was, what to give so that it is. A whole sentence. */
export interface Finding {
  readonly verdict: Verdict
  readonly seen: string
  /** What is amiss although nothing failed, a whole sentence. */
  readonly warning?: string
}

/** The application did as it should. */
export const passed = (seen: string, warning?: string): Finding => ({
  verdict: 'passed',
  seen,
  ...(warning !== undefined && { warning }),
})
/** The application did not do as it should. */
export const failed = (seen: string): Finding => ({ verdict: 'failed', seen })
/** Nothing was seen; the sentence says what to give so that it is. */
export const notSeen = (seen: string): Finding => ({ verdict: 'not_seen', seen })

/** One thing that an application must get right. `Context` is what a check plays with. */
export interface Check<Context> {
  /** Stays the same over versions: reports of one application are compared by it. Group and name: `redirect.new`. */
  readonly id: string
  /** Where the specification asks for it: `4.1`, or `open point 8` where it is silent and this is how we read it. */
  readonly spec: string
  /** What is expected, a whole sentence. */
  readonly expected: string
  /** How to mend an application that fails it, whole sentences. */
  readonly mend: string
  /** Where no profile reads anything otherwise, a check is played in the first round alone. Default `each`. */
  readonly rounds?: 'each' | 'first'
  readonly run: (context: Context) => Promise<Finding>
}

/** A check that was played. */
export interface CheckResult extends Finding, Pick<Check<never>, 'id' | 'spec' | 'expected' | 'mend'> {
  readonly profile: ProfileName
  /** How long it took. */
  readonly seconds: number
}

/** What is played, and how a round begins. */
export interface CheckPlan<Context> {
  readonly checks: readonly Check<Context>[]
  /** One round for each, in this order. */
  readonly profiles: readonly ProfileName[]
  /** The ids of the checks to play; all of them where none is named. */
  readonly only?: readonly string[]
  /** Makes the sandbox read the specification by a profile, with no lead in it. */
  readonly enter: (profile: ProfileName) => Promise<Context>
  /** Told before each check. */
  readonly onCheck?: (check: Pick<CheckResult, 'id' | 'profile'>) => void
}

/** Plays the checks one after the other: an application serves one customer at a time, and what it sends is told apart. */
export async function runChecks<Context>(plan: CheckPlan<Context>): Promise<CheckResult[]> {
  const { checks, profiles, only = [], enter, onCheck } = plan
  const results: CheckResult[] = []
  for (const [round, profile] of profiles.entries()) {
    const context = await enter(profile)
    for (const { rounds = 'each', run, ...check } of checks) {
      if (only.length > 0 && !only.includes(check.id)) continue
      if (round > 0 && rounds === 'first') continue
      onCheck?.({ id: check.id, profile })
      const start = performance.now()
      const finding = await run(context)
      results.push({ ...check, profile, ...finding, seconds: (performance.now() - start) / 1000 })
    }
  }
  return results
}
