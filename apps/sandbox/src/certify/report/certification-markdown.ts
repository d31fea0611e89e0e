import type { CheckResult, Verdict } from '../certify-check.ts'
import { type Certification, unseen } from './certification.ts'

const words = { passed: '✓ passed', failed: '✗ **failed**', not_seen: '– not seen' } satisfies Record<Verdict, string>

/** A certification as Markdown, for the mail that asks to go live. */
export function certificationMarkdown(certification: Certification): string {
  const { certify, application, sandbox, at, profiles, passed, failed, not_seen, checks } = certification
  const rows = checks.map(
    ({ id, profile, expected, spec, verdict }) =>
      `| ${[`\`${id}\``, profile, expected, spec, words[verdict]].map(cell).join(' | ')} |`,
  )
  const of = (verdict: Verdict) => checks.filter(check => check.verdict === verdict)
  const warned = checks.filter(({ warning }) => warning !== undefined)
  return [
    `# Certification of ${application ? cell(application) : `a ${certify}'s application`}`,
    '',
    `- Side: ${certify}`,
    `- Date: ${at}`,
    `- Played by: lead-sandbox ${sandbox}, profiles ${profiles.join(' and ')}`,
    `- Result: ${passed} passed, ${failed} failed, ${not_seen} not seen`,
    '',
    '| check | profile | what is expected | spec | result |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...details('Failed', of('failed'), ({ seen, mend }) => `${seen} ${mend}`),
    ...section('Not seen, and therefore not proved', unseen(certification).map(tellUnseen)),
    ...details('Passed, with a warning', warned, ({ warning = '' }) => warning),
    '',
  ].join('\n')
}

function details(title: string, told: readonly CheckResult[], tell: (check: CheckResult) => string): string[] {
  return section(
    title,
    told.map(check => `\`${check.id}\` (${check.profile}): ${tell(check)}`),
  )
}

function tellUnseen({ reason, ids }: ReturnType<typeof unseen>[number]): string {
  return `${ids.map(id => `\`${id}\``).join(', ')}: ${reason}`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map(line => `- ${line}`)]
}

/** A text that ends neither its cell nor its line. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ')
}
