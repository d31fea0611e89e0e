import { styleText } from 'node:util'
import { junitDocument } from '@lead-distribution/contract/junit'
import type { Certification } from './certify.ts'
import type { CheckResult, Verdict } from './check.ts'

/** Formats text in a color or weight if standard output supports it. */
const paint = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

/** Groups the checks by profile, in the order of the rounds. */
function rounds({ profiles, checks }: Certification) {
  return profiles
    .map(profile => ({ profile, checks: checks.filter(check => check.profile === profile) }))
    .filter(round => round.checks.length > 0)
}

/** Groups the checks that were not seen by their reason. */
function unseen({ checks }: Certification) {
  const waiting = checks.filter(({ verdict }) => verdict === 'not_seen')
  const byReason = Map.groupBy(waiting, ({ seen }) => seen)
  return [...byReason].map(([reason, those]) => ({ reason, ids: [...new Set(those.map(({ id }) => id))] }))
}

const signs = {
  passed: paint.bind(undefined, 'green', '✓'),
  failed: paint.bind(undefined, 'red', '✗'),
  not_seen: paint.bind(undefined, 'yellow', '–'),
} satisfies Record<Verdict, () => string>

/** Formats a certification for the terminal: a line for each check, with the fix below each failure. */
export function checklist(certification: Certification): string {
  const blocks = rounds(certification).map(
    ({ profile, checks }) => `${paint('bold', `Profile ${profile}`)}\n${checks.map(entry).join('\n')}`,
  )
  const more = unseen(certification).map(({ reason, ids }) => `${signs.not_seen()} ${reason}\n    ${ids.join(', ')}`)
  return [...blocks, ...more, summary(certification)].join('\n\n')
}

function entry({ id, verdict, expected, seen, warning, fix, spec }: CheckResult): string {
  const lines = [`${signs[verdict]()} ${id}  ${expected}`]
  if (verdict === 'failed') lines.push(`    ${seen}`, `    ${fix} ${paint('dim', `(Spec ${spec})`)}`)
  if (warning !== undefined) lines.push(`    ${paint('yellow', warning)}`)
  return lines.join('\n')
}

function summary({ passed, failed, not_seen }: Certification): string {
  const counts = [
    paint('green', `${passed} passed`),
    ...(failed > 0 ? [paint('red', `${failed} failed`)] : []),
    ...(not_seen > 0 ? [paint('yellow', `${not_seen} not seen (the reasons are listed above)`)] : []),
  ]
  return `${counts.join(', ')}.`
}

/** Formats a certification as JUnit XML: a suite for each profile. A check that was not seen is a skipped test. */
export function certificationJunit(certification: Certification): string {
  const name = `certify ${certification.certify}`
  return junitDocument({
    name,
    suites: rounds(certification).map(({ profile, checks }) => ({
      name: profile,
      cases: checks.map(({ id, verdict, expected, seen, fix, spec, seconds }) => ({
        name: id,
        seconds,
        ...(verdict === 'failed' && {
          failure: { type: id, message: seen, text: `${expected} ${fix} (Spec ${spec})` },
        }),
        ...(verdict === 'not_seen' && { skipped: seen }),
      })),
    })),
  })
}

const verdicts = { passed: '✓ passed', failed: '✗ **failed**', not_seen: '– not seen' } satisfies Record<
  Verdict,
  string
>

/** Formats a certification as Markdown, for the email that asks to go live. */
export function certificationMarkdown(certification: Certification): string {
  const { certify, application, sandbox, at, profiles, passed, failed, not_seen, checks } = certification
  const rows = checks.map(
    ({ id, profile, expected, spec, verdict }) =>
      `| ${[`\`${id}\``, profile, expected, spec, verdicts[verdict]].map(cell).join(' | ')} |`,
  )
  const of = (verdict: Verdict) => checks.filter(check => check.verdict === verdict)
  const warned = checks.filter(({ warning }) => warning !== undefined)
  return [
    `# Certification of ${application ? cell(application) : `a ${certify}'s application`}`,
    '',
    `- Side: ${certify}`,
    `- Date: ${at}`,
    `- Run by: lead-sandbox ${sandbox}, profiles ${profiles.join(' and ')}`,
    `- Result: ${passed} passed, ${failed} failed, ${not_seen} not seen`,
    '',
    '| check | profile | expected | spec | result |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...details('Failed', of('failed'), ({ seen, fix }) => `${seen} ${fix}`),
    ...section('Not seen', unseen(certification).map(unseenLine)),
    ...details('Passed, with a warning', warned, ({ warning = '' }) => warning),
    '',
  ].join('\n')
}

function details(title: string, checks: readonly CheckResult[], textOf: (check: CheckResult) => string): string[] {
  return section(
    title,
    checks.map(check => `\`${check.id}\` (${check.profile}): ${textOf(check)}`),
  )
}

function unseenLine({ reason, ids }: ReturnType<typeof unseen>[number]): string {
  return `${ids.map(id => `\`${id}\``).join(', ')}: ${reason}`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map(line => `- ${line}`)]
}

/** Escapes text for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ')
}
