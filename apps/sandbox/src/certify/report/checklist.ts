import { paint } from '../../cli/printing/paint.ts'
import type { CheckResult, Verdict } from '../certify-check.ts'
import { type Certification, rounds } from './certification.ts'

const signs = {
  passed: paint.bind(undefined, 'green', '✓'),
  failed: paint.bind(undefined, 'red', '✗'),
  not_seen: paint.bind(undefined, 'yellow', '–'),
} satisfies Record<Verdict, () => string>

/** A certification for people: a line for each check, and below what did not pass how to mend it. */
export function checklist(certification: Certification): string {
  const blocks = rounds(certification).map(
    ({ profile, checks }) => `${paint('bold', `Profile ${profile}`)}\n${checks.map(entry).join('\n')}`,
  )
  return [...blocks, summary(certification)].join('\n\n')
}

function entry({ id, verdict, expected, seen, warning, mend, spec }: CheckResult): string {
  const lines = [`${signs[verdict]()} ${id}  ${expected}`]
  if (verdict !== 'passed') lines.push(`    ${seen}`)
  if (warning !== undefined) lines.push(`    ${paint('yellow', warning)}`)
  if (verdict === 'failed') lines.push(`    ${mend} ${paint('dim', `(Spec ${spec})`)}`)
  return lines.join('\n')
}

function summary({ passed, failed, not_seen }: Certification): string {
  const counts = [
    paint('green', `${passed} passed`),
    ...(failed > 0 ? [paint('red', `${failed} failed`)] : []),
    ...(not_seen > 0
      ? [paint('yellow', `${not_seen} not seen, which are not passed: see what to give at each –`)]
      : []),
  ]
  return `${counts.join(', ')}.`
}
