import type { Reply } from '../connection/session.ts'
import { cuttable } from '../printing/fit-columns.ts'
import { paint, paintStatus, paintWord } from '../printing/paint.ts'
import { plain } from '../printing/plain.ts'
import { list, sections, table } from '../printing/table.ts'
import { shortTime } from '../printing/time.ts'

type Lead = Reply<'showLead'>
type Explanation = Reply<'explainLead'>

/** Whom the lead was offered: name, decision, and why. */
type Asked = readonly [name: string, decision: string, because: string]

/** The check that asks the advertisers. */
const distribution = 'distribution'

/** Why a lead was decided as it was, told for people. */
export function storyText(lead: Lead, warnings: Explanation['warnings']): string {
  const { lead_id, status, rejection_reason, received_at, trace, deliveries } = lead
  const outcome = [paintWord(status), rejection_reason].filter(word => word).join(': ')
  const head = `Lead ${lead_id}, received ${shortTime(received_at)}, is ${outcome}.`
  const asked = deliveries.map(({ name, decision, reasons }) => [name, decision, reasons.join('; ')] as const)
  return [head, told(trace, warnings, asked)].join('\n\n')
}

/** What would become of a submission, told for people. */
export function explanationText({ would, trace, warnings }: Explanation): string {
  const { status, rejection_reason, message } = would.body as { [name: string]: string | null | undefined }
  const outcome = status ? [paintWord(status), rejection_reason].filter(word => word).join(': ') : message
  const head = `The service would answer ${paintStatus(would.status)}, ${outcome}`
  return [head, told(trace, warnings, askedIn(trace))].join('\n\n')
}

/** The advertisers that would be asked: their answers are what the check `distribution` looked at. */
function askedIn(trace: Explanation['trace']): Asked[] {
  const { input = {} } = trace.find(({ check }) => check === distribution) ?? {}
  return Object.entries(input as Readonly<Record<string, string>>).map(([name, answer]) => {
    const [decision = '', ...reasons] = answer.split(': ')
    return [name, decision, reasons.join(': ')]
  })
}

function told(trace: Lead['trace'], warnings: Explanation['warnings'], asked: readonly Asked[]): string {
  const isReached = ({ verdict, hint }: Lead['trace'][number]) => verdict !== 'skipped' || hint !== undefined
  const reached = trace.filter(isReached)
  const left = trace.filter(step => !isReached(step)).map(({ check }) => check)
  const checks = reached.map(({ check, verdict, input, threshold }) => [
    check,
    paintWord(verdict),
    // What the advertisers answered has a table of its own.
    input === undefined || check === distribution ? undefined : plain(input),
    threshold === undefined ? undefined : cuttable(plain(threshold)),
  ])
  const hints = reached.filter(({ hint }) => hint !== undefined).map(({ check, hint }) => [check, hint] as const)
  const answers = asked.map(([name, decision, because]) => [name, paintWord(decision), because])
  return sections(
    ['Checks', checks.length > 0 ? table(['check', 'verdict', 'given', 'wanted'], checks) : undefined],
    ['Hints', hints.length > 0 ? list(hints) : undefined],
    ['Checks that were not reached', left.join(', ')],
    ['Advertisers', answers.length > 0 ? table(['advertiser', 'decision', 'because'], answers) : undefined],
    ['Elsewhere it may come out otherwise', warnings.map(warning).join('\n')],
  )
}

function warning(each: Explanation['warnings'][number]): string {
  const { interpretation, other_interpretation, would } = each
  return `${paint('yellow', each.switch)} is read as ${interpretation} here; read as ${other_interpretation}: ${would}`
}
