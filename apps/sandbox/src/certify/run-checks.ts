import type { CertifyCheck, CheckResult, ProfileName } from './certify-check.ts'

/** What is played, and how a round begins. */
export interface CertifyPlan<Context> {
  readonly checks: readonly CertifyCheck<Context>[]
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
export async function runChecks<Context>(plan: CertifyPlan<Context>): Promise<CheckResult[]> {
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
