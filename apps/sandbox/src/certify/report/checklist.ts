import { paint } from '../../cli/printing/paint.ts'
import type { CheckResult, Verdict } from '../certify-check.ts'
import { type Certification, rounds, unseen } from './certification.ts'

const signs = {
  passed: paint.bind(undefined, 'green', '✓'),
  failed: paint.bind(undefined, 'red', '✗'),
  not_seen: paint.bind(undefined, 'yellow', '–'),
} satisfies Record<Verdict, () => string>

/**
 * A certification for people: a line for each check, below what failed how to mend it, and in the end what to give so that
 * more is seen.
 */
export function checklist(certification: Certification): string {
  const blocks = rounds(certification).map(
    ({ profile, checks }) => `${paint('bold', `Profile ${profile}`)}\n${checks.map(entry).join('\n')}`,
  )
  const more = unseen(certification).map(({ reason, ids }) => `${signs.not_seen()} ${reason}\n    ${ids.join(', ')}`)
  return [...blocks, ...more, summary(certification)].join('\n\n')
}

function entry({ id, verdict, expected, seen, warning, mend, spec }: CheckResult): string {
  const lines = [`${signs[verdict]()} ${id}  ${expected}`]
  if (verdict === 'failed') lines.push(`    ${seen}`, `    ${mend} ${paint('dim', `(Spec ${spec})`)}`)
  if (warning !== undefined) lines.push(`    ${paint('yellow', warning)}`)
  return lines.join('\n')
}

function summary({ passed, failed, not_seen }: Certification): string {
  const counts = [
    paint('green', `${passed} passed`),
    ...(failed > 0 ? [paint('red', `${failed} failed`)] : []),
    ...(not_seen > 0 ? [paint('yellow', `${not_seen} not seen, which are not passed: what to give stands above`)] : []),
  ]
  return `${counts.join(', ')}.`
}
