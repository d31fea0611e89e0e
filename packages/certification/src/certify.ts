import type { Settings } from '@lead-distribution/contract'
import { failureChecks } from './advertiser/failure-checks.ts'
import { keyHeaderOnly, reportChecks } from './advertiser/report-checks.ts'
import { type AdvertiserApplication, type AdvertiserCheck, openAdvertiserRound } from './advertiser/round.ts'
import {
  type Check,
  type CheckResult,
  type Finding,
  notSeen,
  type ProfileName,
  type RoundOf,
  type Verdict,
} from './check.ts'
import { callbackChecks } from './publisher/callback-checks.ts'
import { forgeryChecks } from './publisher/forgery-checks.ts'
import { createPublisherRound, type PublisherApplication, type PublisherCheck } from './publisher/round.ts'
import { submissionChecks } from './publisher/submission-checks.ts'
import { type CertificationSandbox, openSandbox, type SandboxPlace, type StartServer } from './sandbox.ts'

/**
 * The result of a certification, as `--json` prints it. Its shape is versioned by `report`: within a version, fields
 * may be added, but none is renamed or removed. It contains no keys, tokens or personal data.
 */
export interface Certification {
  readonly report: 1
  /** The side that the application is on. */
  readonly certify: 'publisher' | 'advertiser'
  /** The name of the application. */
  readonly application?: string
  /** The version of the sandbox that ran the checks. */
  readonly sandbox: string
  /** The time of the certification, RFC 3339. */
  readonly at: string
  readonly profiles: readonly ProfileName[]
  readonly passed: number
  readonly failed: number
  /** Checks that had nothing to look at. They did not pass. */
  readonly not_seen: number
  readonly checks: readonly CheckResult[]
}

/** Options of both certifications. */
export interface CertifyOptions {
  readonly startServer: StartServer
  readonly place: SandboxPlace
  /** One round for each, in this order. */
  readonly profiles: readonly ProfileName[]
  /** The ids of the checks to run; empty for all. */
  readonly only: readonly string[]
  /** The name of the application, for the report. */
  readonly application?: string | undefined
  /** The version of the sandbox, for the report. */
  readonly version: string
}

/** The checks of a publisher's application, in the order to run them and to fix problems. */
export const publisherChecks: readonly PublisherCheck[] = [...submissionChecks, ...callbackChecks, ...forgeryChecks]

/** Certifies a publisher's application. */
export function certifyPublisher(options: CertifyOptions & PublisherApplication): Promise<Certification> {
  const { signed, only, callbackUrl } = options
  // Signed callbacks are an extension: their check runs only with `signed` or if `only` lists it.
  const checks = publisherChecks.filter(({ id }) => id !== 'forged.signature' || signed || only.includes(id))
  return certify('publisher', checks, options, async (sandbox, profile) => {
    const callback_signature = signed ? 'standard_webhooks' : 'none'
    // One attempt for each callback: only its own check resends a failed callback, so it can't arrive during a later
    // check.
    const settings = { callback_retries: [], callback_signature } satisfies Partial<Settings>
    await sandbox.enter(profile, settings, { callback_url: callbackUrl ?? null })
    return createPublisherRound(sandbox, options)
  })
}

/** The checks of an advertiser's application, in order. The last one covers everything that was sent before it. */
export const advertiserChecks: readonly AdvertiserCheck[] = [...reportChecks, ...failureChecks, keyHeaderOnly].map(
  check => ({ ...check, needs: ['requests'] }),
)

/** Certifies an advertiser's application. */
export function certifyAdvertiser(options: CertifyOptions & AdvertiserApplication): Promise<Certification> {
  return certify('advertiser', advertiserChecks, options, (sandbox, profile) =>
    openAdvertiserRound(sandbox, profile, options),
  )
}

/** Runs the checks one at a time, so that each request belongs to the running check. */
async function certify<Need extends string, Round extends RoundOf<Need>>(
  side: Certification['certify'],
  checks: readonly Check<Round, Need>[],
  { startServer, place, profiles, only, application, version }: CertifyOptions,
  enter: (sandbox: CertificationSandbox, profile: ProfileName) => Promise<Round>,
): Promise<Certification> {
  const sandbox = await openSandbox(startServer, place)
  try {
    const at = new Date().toISOString()
    const results: CheckResult[] = []
    for (const profile of profiles) {
      const round = await enter(sandbox, profile)
      for (const check of checks) {
        const { id, spec, expected, fix, rounds } = check
        if ((only.length > 0 && !only.includes(id)) || (rounds === 'first' && profile !== profiles[0])) continue
        const start = performance.now()
        const finding = await findingOf(check, round)
        results.push({ id, spec, expected, fix, profile, ...finding, seconds: (performance.now() - start) / 1000 })
      }
    }
    const count = (verdict: Verdict) => results.filter(each => each.verdict === verdict).length
    return {
      report: 1,
      certify: side,
      ...(application !== undefined && { application }),
      sandbox: version,
      at,
      profiles,
      passed: count('passed'),
      failed: count('failed'),
      not_seen: count('not_seen'),
      checks: results,
    }
  } finally {
    await sandbox.close()
  }
}

async function findingOf<Need extends string, Round extends RoundOf<Need>>(
  { needs = [], run }: Check<Round, Need>,
  round: Round,
): Promise<Finding> {
  for (const need of needs) {
    const missing = await round.missing(need)
    if (missing !== undefined) return notSeen(missing)
  }
  return run(round)
}
