import { junitDocument } from '@lead-distribution/junit'
import { type Certification, rounds } from './certification.ts'

/** A certification as a JUnit document: a suite for each profile. What was not seen is a skipped test. */
export function certificationJunit(certification: Certification): string {
  const name = `certify ${certification.certify}`
  return junitDocument({
    name,
    suites: rounds(certification).map(({ profile, checks }) => ({
      name: profile,
      cases: checks.map(({ id, verdict, expected, seen, mend, spec, seconds }) => ({
        name: id,
        seconds,
        ...(verdict === 'failed' && {
          failure: { type: id, message: seen, text: `${expected} ${mend} (Spec ${spec})` },
        }),
        ...(verdict === 'not_seen' && { skipped: seen }),
      })),
    })),
  })
}
