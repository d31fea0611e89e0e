import type { Reply } from '../connection/session.ts'
import { paint, paintStatus, paintWord } from '../printing/paint.ts'
import { sections, table } from '../printing/table.ts'
import { shortTime } from '../printing/time.ts'

type Lead = Reply<'showLead'>
type Explanation = Reply<'explainLead'>

/** Why a lead was decided as it was, told for people. */
export function storyText(lead: Lead, warnings: Explanation['warnings']): string {
  const { lead_id, status, rejection_reason, received_at, trace, deliveries } = lead
  const outcome = [paintWord(status), rejection_reason].filter(word => word).join(': ')
  const head = `Lead ${lead_id}, received ${shortTime(received_at)}, is ${outcome}.`
  return [head, told(trace, warnings, deliveries)].join('\n\n')
}

/** What would become of a submission, told for people. */
export function explanationText({ would, trace, warnings }: Explanation): string {
  const { status, rejection_reason, message } = would.body as { [name: string]: string | null | undefined }
  const outcome = status ? [paintWord(status), rejection_reason].filter(word => word).join(': ') : message
  const head = `The service would answer ${paintStatus(would.status)}, ${outcome}`
  return [head, told(trace, warnings, [])].join('\n\n')
}

function told(trace: Lead['trace'], warnings: Explanation['warnings'], deliveries: Lead['deliveries']): string {
  const isReached = ({ verdict, hint }: Lead['trace'][number]) => verdict !== 'skipped' || hint !== undefined
  const checks = trace
    .filter(isReached)
    .map(({ check, verdict, input, threshold, hint }) => [
      check,
      paintWord(verdict),
      value(input),
      value(threshold),
      hint,
    ])
  const left = trace.filter(step => !isReached(step)).map(({ check }) => check)
  const asked = deliveries.map(({ name, decision, reasons }) => [name, paintWord(decision), reasons.join('; ')])
  return sections(
    ['Checks', checks.length > 0 ? table(['check', 'verdict', 'given', 'wanted', 'hint'], checks) : undefined],
    ['Checks that were not reached', left.join(', ')],
    ['Advertisers', asked.length > 0 ? table(['advertiser', 'decision', 'because'], asked) : undefined],
    ['Elsewhere it may come out otherwise', warnings.map(warning).join('\n')],
  )
}

function warning(each: Explanation['warnings'][number]): string {
  const { reading, other_reading, would } = each
  return `${paint('yellow', each.switch)} is read as ${reading} here; read as ${other_reading}: ${would}`
}

function value(given: unknown): string | undefined {
  return given === undefined ? undefined : typeof given === 'string' ? given : JSON.stringify(given)
}
