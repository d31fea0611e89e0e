import type { Settings } from '@lead-distribution/engine'

/** An interpretation of what the specification leaves open. */
export type ProfileName = Settings['profile']

/** The outcome of a check. `not_seen`: nothing failed, and nothing was proved either. */
export type Verdict = 'passed' | 'failed' | 'not_seen'

/** What a check found. */
export interface Finding {
  readonly verdict: Verdict
  /** What was seen; where nothing was, the flag that would help. A whole sentence. */
  readonly seen: string
  /** What is wrong although nothing failed, a whole sentence. */
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
/** Nothing was seen; the sentence names the flag that would help. */
export const notSeen = (seen: string): Finding => ({ verdict: 'not_seen', seen })

/** One thing that an application must get right. `Context` is the round that it runs in. */
export interface Check<Context> {
  /** Stays the same over versions: reports of one application are compared by it. Group and name: `redirect.new`. */
  readonly id: string
  /** Where the specification asks for it: `4.1`, or `open point 8` where it is silent and this is our interpretation. */
  readonly spec: string
  /** What is expected, a whole sentence. */
  readonly expected: string
  /** How to fix an application that fails it, whole sentences. */
  readonly fix: string
  /** `first` where every profile interprets the same: it runs only in the first round. Default `each`. */
  readonly rounds?: 'each' | 'first'
  readonly run: (context: Context) => Promise<Finding>
}

/** A check that ran. */
export interface CheckResult extends Finding, Pick<Check<never>, 'id' | 'spec' | 'expected' | 'fix'> {
  readonly profile: ProfileName
  readonly seconds: number
}

/** Which checks run, and how a round begins. */
export interface CheckPlan<Context> {
  readonly checks: readonly Check<Context>[]
  /** One round for each, in this order. */
  readonly profiles: readonly ProfileName[]
  /** The ids of the checks to run; all of them where none is named. */
  readonly only?: readonly string[]
  /** Begins a round: the sandbox interprets the specification by a profile. */
  readonly enter: (profile: ProfileName) => Promise<Context>
  /** Called before each check. */
  readonly onCheck?: (check: Pick<CheckResult, 'id' | 'profile'>) => void
}

/** Runs the checks one after the other: what the application sends belongs to the check that runs. */
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
