import { existsSync } from 'node:fs'
import { docUrl, errorCodeDocUrl } from '@lead-distribution/contract'
import type { ControlReply } from '@lead-distribution/simulator'
import { paint, paintStatus, paintValue } from '../printing/paint.ts'
import { plain, shortTime } from '../printing/printing.ts'
import { cuttable, list, sections, table } from '../printing/table.ts'
import { parseJson, readInput } from '../read-input.ts'
import type { Session } from '../sandbox-verb.ts'
import { leadIdOf } from './lead-id.ts'
import { withOwner } from './submit.ts'

interface Flags {
  readonly scenario?: string
  readonly fill: boolean
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const callId = /^r\d{1,15}$/

/**
 * Explains a stored lead, by its id or as the newest of an address; a call of the journal; or the submission in a file, which
 * is not submitted.
 */
export async function explain(session: Session, flags: Flags, what: string): Promise<void> {
  if (uuid.test(what)) return explainKept(session, what)
  if (callId.test(what)) return explainCall(session, what)
  if (!what.includes('@') || existsSync(what)) return explainFile(session, what, flags)
  return explainKept(session, await leadIdOf(session.tenant, what))
}

/** A call that stored a lead is explained by the lead; of any other the journal has what was decided. */
async function explainCall(session: Session, id: string): Promise<void> {
  const call = await session.tenant.requests.show(id)
  if (call.operation === 'submitLead' && call.lead_id !== undefined) return explainKept(session, call.lead_id)
  session.print(call, callText)
}

/** A call of the journal, for people: a decision where it has one, else what was wrong. */
function callText(call: Call): string {
  const { request_id, operation, status, outcome, reason, trace = [], issues = [], near_misses = [], warnings } = call
  const outcomes = [paintValue(outcome), reason].filter(part => part).join(': ')
  const head = `Call ${request_id}, ${operation}, was answered ${paintStatus(status)}, ${outcomes}.`
  const blocks = sections(
    ['Met the fault', call.fault_id],
    ['What is wrong', list(issues.map(({ field, issue }) => [field, issue] as const))],
    misspelt(near_misses),
  )
  const about = aboutText(outcome === 'rejected' ? reason : undefined, outcome)
  return [head, blocks, decisionText(trace, warnings, askedIn(trace)), ...about]
    .filter(part => part !== '')
    .join('\n\n')
}

async function explainKept({ tenant, print }: Session, id: string): Promise<void> {
  const lead = await tenant.leads.show(id)
  // Warnings and ignored fields are in the journal, at the call that submitted the lead.
  const { requests } = await tenant.requests.list({ lead_id: id, operation: 'submitLead' })
  const warnings = requests.flatMap(request => request.warnings)
  const nearMisses = requests.flatMap(({ near_misses = [] }) => near_misses)
  print(lead, () => storyText(lead, warnings, nearMisses))
}

async function explainFile({ tenant, print }: Session, file: string, { scenario, fill }: Flags): Promise<void> {
  const content = await readInput(file)
  const text = fill ? withOwner(content, await tenant.show()) : content
  print(await tenant.leads.explain(parseJson(text, file), { scenario }), explanationText)
}

type Lead = ControlReply<'showLead'>
type Call = ControlReply<'listRequests'>['requests'][number]
type Explanation = ControlReply<'explainLead'>

type NearMisses = NonNullable<Call['near_misses']>

/** The fields that the service ignores, since it knows them by another name. */
function misspelt(nearMisses: NearMisses) {
  return ['Probably misspelt', list(nearMisses.map(({ field, message }) => [field, message] as const))] as const
}

/** An advertiser that the lead was offered to: its name, its decision, and why. */
type Asked = readonly [name: string, decision: string, because: string]

/** The check that asks the advertisers. */
const distribution = 'distribution'

/** The decision on a stored lead, for people. */
function storyText(lead: Lead, warnings: Explanation['warnings'], nearMisses: NearMisses): string {
  const { lead_id, status, rejection_reason, received_at, trace, deliveries } = lead
  const outcome = [paintValue(status), rejection_reason].filter(part => part).join(': ')
  const head = `Lead ${lead_id}, received ${shortTime(received_at)}, is ${outcome}.`
  const asked = deliveries.map(({ name, decision, reasons }) => [name, decision, reasons.join('; ')] as const)
  const blocks = [sections(misspelt(nearMisses)), decisionText(trace, warnings, asked)].filter(part => part !== '')
  return [head, ...blocks, ...aboutText(rejection_reason)].join('\n\n')
}

/** The decision on a submission that was not submitted, for people. */
export function explanationText({ would, trace, warnings }: Explanation): string {
  const { status, rejection_reason, error, message } = would.body as { [name: string]: string | null | undefined }
  const outcome = status ? [paintValue(status), rejection_reason].filter(part => part).join(': ') : message
  const head = `The service would answer ${paintStatus(would.status)}, ${outcome}`
  const about = aboutText(rejection_reason, error)
  return [head, decisionText(trace, warnings, askedIn(trace)), ...about].join('\n\n')
}

/** The page about the reason or the error code that the service replies with. */
function aboutText(reason?: string | null, error?: string | null): string[] {
  const page = reason ? docUrl('rejections', reason) : errorCodeDocUrl(error)
  return page ? [`About it: ${page}`] : []
}

/** The advertisers that would be asked: their answers are the input of the check `distribution`. */
function askedIn(trace: Explanation['trace']): Asked[] {
  const { input = {} } = trace.find(({ check }) => check === distribution) ?? {}
  return Object.entries(input as Readonly<Record<string, string>>).map(([name, answer]) => {
    const [decision = '', ...reasons] = answer.split(': ')
    return [name, decision, reasons.join(': ')]
  })
}

function decisionText(trace: Lead['trace'], warnings: Explanation['warnings'], asked: readonly Asked[]): string {
  const isReached = ({ verdict, hint }: Lead['trace'][number]) => verdict !== 'skipped' || hint !== undefined
  const reached = trace.filter(isReached)
  const left = trace.filter(step => !isReached(step)).map(({ check }) => check)
  const checks = reached.map(({ check, verdict, input, threshold }) => [
    check,
    paintValue(verdict),
    // The answers of the advertisers are in their own table.
    input === undefined || check === distribution ? undefined : plain(input),
    threshold === undefined ? undefined : cuttable(plain(threshold)),
  ])
  const hints = reached.filter(({ hint }) => hint !== undefined).map(({ check, hint }) => [check, hint] as const)
  const answers = asked.map(([name, decision, because]) => [name, paintValue(decision), because])
  return sections(
    ['Checks', checks.length > 0 ? table(['check', 'verdict', 'given', 'wanted'], checks) : undefined],
    ['Hints', hints.length > 0 ? list(hints) : undefined],
    ['Checks that were not reached', left.join(', ')],
    ['Advertisers', answers.length > 0 ? table(['advertiser', 'decision', 'because'], answers) : undefined],
    ['Other services may decide differently', warnings.map(warning).join('\n')],
  )
}

function warning(each: Explanation['warnings'][number]): string {
  const { interpretation, other_interpretation, would } = each
  return `${paint('yellow', each.switch)} is ${interpretation} here; with ${other_interpretation} the service would ${would}`
}
