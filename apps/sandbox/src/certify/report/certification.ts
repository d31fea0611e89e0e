import type { CheckResult, ProfileName, Verdict } from '../certify-check.ts'

/**
 * What a certification came to, as `--json` prints it. Its shape is versioned by `report`: fields are added to it, and
 * none is renamed or removed within a version. It holds no key, no token and no personal datum.
 */
export interface Certification {
  readonly report: 1
  /** Whose application it is. */
  readonly certify: 'publisher' | 'advertiser'
  /** What the application is called, where it was said. */
  readonly application?: string
  /** The version of the sandbox that played the checks. */
  readonly sandbox: string
  /** When it was done, a date-time of RFC 3339. */
  readonly at: string
  readonly profiles: readonly ProfileName[]
  readonly passed: number
  readonly failed: number
  /** Checks that had nothing to look at: they are not passed. */
  readonly not_seen: number
  readonly checks: readonly CheckResult[]
}

/** Counts what the checks of a certification came to. */
export function createCertification(
  head: Pick<Certification, 'certify' | 'application' | 'sandbox' | 'at' | 'profiles'>,
  checks: readonly CheckResult[],
): Certification {
  const count = (verdict: Verdict) => checks.filter(check => check.verdict === verdict).length
  return { report: 1, ...head, passed: count('passed'), failed: count('failed'), not_seen: count('not_seen'), checks }
}

/** The checks of each profile, the profiles in the order of their rounds. */
export function rounds({ profiles, checks }: Certification) {
  return profiles
    .map(profile => ({ profile, checks: checks.filter(check => check.profile === profile) }))
    .filter(round => round.checks.length > 0)
}

/** What to give so that more is seen, each with the ids of the checks that wait for it. */
export function unseen({ checks }: Certification) {
  const waiting = checks.filter(({ verdict }) => verdict === 'not_seen')
  const byReason = Map.groupBy(waiting, ({ seen }) => seen)
  return [...byReason].map(([reason, those]) => ({ reason, ids: [...new Set(those.map(({ id }) => id))] }))
}
