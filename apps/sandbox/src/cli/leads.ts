import { existsSync } from 'node:fs'
import { docUrl, errorCodeDocUrl, isUuid, leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { Options, TenantControl } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import type { ReproDifference } from '@lead-distribution/simulator/repro'
import { type Command, Option } from 'commander'
import { readInput } from '../read-input.ts'
import { callbackTable, outcomeOf } from './callbacks.ts'
import { CommandError } from './exit-codes.ts'
import {
  cuttable,
  list,
  paint,
  paintOutcome,
  paintStatus,
  paintValue,
  plain,
  sections,
  shortTime,
  table,
  withNext,
} from './printing.ts'
import { leadIdOf, type Session, sandboxVerb } from './sandbox-verb.ts'
import { noFillFlag, scenarioFlag, withOwner } from './submit.ts'
import { parseJson, wholeNumber } from './values.ts'

export function describeLeads(command: Command): void {
  const shown = command
    .command('list')
    .description('List leads, newest first.')
    .addOption(new Option('--status <status>', 'only leads with this outcome').choices(leadStatuses))
    .addOption(new Option('--reason <reason>', 'only leads rejected for this reason').choices(rejectionReasons))
    .option('--email <address>', 'only leads of this customer')
    .option('--limit <count>', 'the maximum number to list', wholeNumber('limit'), 50)
    .option('--before <id>', 'only those older than this lead')
  sandboxVerb<LeadFlags, []>(
    shown,
    ['leads list --status rejected', 'leads list --reason age_restriction', 'leads list --json --limit 1'],
    async ({ tenant, print }, flags) => print(await searchLeads(tenant, flags), leadTable),
  )
  sandboxVerb<unknown, [string]>(
    command
      .command('show')
      .description('Show a lead with its deliveries, postback URLs, events and callbacks.')
      .argument('<id>', 'its lead_id, or the address of its customer'),
    ['leads show LEAD_ID'],
    async ({ tenant, print }, _flags, id) => print(await tenant.leads.show(await leadIdOf(tenant, id)), leadText),
  )
  describeExplain(command.command('explain'), 'leads explain')
  sandboxVerb<ExplainFlags, [string]>(
    command
      .command('repro')
      .description(
        'Print the smallest file that reproduces the decision on a lead, or on a submission without submitting it. Stand-ins replace all personal data. For lead-sandbox repro run.',
      )
      .argument('<lead>', "a lead_id, a customer's address, a JSON file, or - for stdin")
      .addOption(scenarioFlag())
      .addOption(noFillFlag()),
    ['leads repro LEAD_ID > bug.json', 'leads repro lead.json > bug.json'],
    repro,
  )
}

/** `lead-sandbox explain`, which is `lead-sandbox leads explain`, too. */
export function describeExplain(command: Command, verb = 'explain'): void {
  sandboxVerb(
    command
      .description('Explain the decision on a lead, or on a submission without submitting it.')
      .argument('<lead>', "a lead_id, a customer's address, a call of logs tail, a JSON file, or - for stdin")
      .addOption(scenarioFlag())
      .addOption(noFillFlag()),
    [
      `${verb} LEAD_ID`,
      `${verb} ana@example.com`,
      `${verb} r42`,
      `${verb} lead.json`,
      `${verb} lead.json --scenario fraud_suspected`,
    ],
    explain,
  )
}

type Page = ControlReply<'listLeads'>

type LeadFlags = Options<'listLeads'> & { readonly limit: number }

/** Leads up to the limit: a page of a search may be short of it, and have a next one. */
async function searchLeads(tenant: TenantControl, query: LeadFlags): Promise<Page> {
  const page = await tenant.leads.list(query)
  const missing = query.limit - page.leads.length
  if (page.next === undefined || missing <= 0) return page
  const rest = await searchLeads(tenant, { ...query, limit: missing, before: page.next })
  return { ...rest, leads: [...page.leads, ...rest.leads] }
}

type Lead = ControlReply<'showLead'>

function leadTable({ leads, next }: Page): string {
  const rows = leads.map(lead => [
    lead.lead_id,
    paintValue(lead.status),
    lead.rejection_reason,
    cuttable(lead.email),
    shortTime(lead.received_at),
  ])
  return withNext(table(['lead', 'outcome', 'reason', 'e-mail', 'received (UTC)'], rows, 'No leads.'), next)
}

/** A lead with all that belongs to it, except its trace, which `leads explain` prints. */
function leadText(lead: Lead): string {
  const { deliveries, events, callbacks } = lead
  const about = list([
    ['lead_id', lead.lead_id],
    ['outcome', paintOutcome(lead.status, lead.rejection_reason)],
    ['e-mail', lead.email],
    ['product_id', lead.product_id],
    ['received (UTC)', shortTime(lead.received_at)],
    ['redirect_url', lead.redirect_url],
  ])
  const isHandedOver = deliveries.some(({ backend }) => backend !== undefined)
  const asked = deliveries.map(({ name, decision, backend, postback_url }) => [
    name,
    paintValue(decision),
    ...(isHandedOver ? [outcomeOf(backend)] : []),
    postback_url,
  ])
  const askedColumns = ['advertiser', 'decision', ...(isHandedOver ? ['back end'] : []), 'postback URL']
  const reported = events.map(({ event, reported_as, via, ref, recorded_at }) => [
    event,
    reported_as === event ? undefined : reported_as,
    via,
    ref,
    shortTime(recorded_at),
  ])
  const blocks = sections(
    ['Advertisers', table(askedColumns, asked, '')],
    ['Events', table(['event', 'reported as', 'via', 'ref', 'at (UTC)'], reported, '')],
    ['Callbacks', callbacks.length > 0 ? callbackTable(callbacks) : undefined],
  )
  return blocks === '' ? about : `${about}\n\n${blocks}`
}

interface ExplainFlags {
  readonly scenario?: string
  readonly fill: boolean
}

const callId = /^r\d{1,15}$/

/** Explains a stored lead, by its id or an address; a call of the journal; or the submission in a file. */
export async function explain(session: Session, flags: ExplainFlags, what: string): Promise<void> {
  if (isUuid(what)) return explainKept(session, what)
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
  const head = `Call ${request_id}, ${operation}, got ${paintStatus(status)}, ${paintOutcome(outcome, reason)}.`
  const blocks = sections(
    ['Met the fault', call.fault_id],
    ['What is wrong', list(issues.map(({ field, issue }) => [field, issue] as const))],
    misspelt(near_misses),
  )
  const about = aboutText(outcome === 'rejected' ? reason : undefined, outcome)
  return [head, blocks, decisionText(trace, warnings), ...about].filter(part => part !== '').join('\n\n')
}

async function explainKept({ tenant, print }: Session, id: string): Promise<void> {
  const lead = await tenant.leads.show(id)
  // Warnings and ignored fields are in the journal, at the call that submitted the lead.
  const { requests } = await tenant.requests.list({ leadId: id, operation: 'submitLead' })
  const warnings = requests.flatMap(request => request.warnings)
  const nearMisses = requests.flatMap(({ near_misses = [] }) => near_misses)
  print(lead, () => storyText(lead, warnings, nearMisses))
}

async function explainFile({ tenant, print }: Session, file: string, { scenario, fill }: ExplainFlags): Promise<void> {
  print(await tenant.leads.explain(await readSubmission(tenant, file, fill), { scenario }), explanationText)
}

async function readSubmission(tenant: TenantControl, file: string, fill: boolean): Promise<unknown> {
  const content = await readInput(file)
  return parseJson(fill ? withOwner(content, await tenant.show()) : content, file)
}

/** Prints the repro file of a stored lead, by its id or as the newest of an address, or of the submission in a file. */
async function repro({ tenant }: Session, { scenario, fill }: ExplainFlags, what: string): Promise<void> {
  const isKept = isUuid(what) || (what.includes('@') && !existsSync(what))
  const file = isKept
    ? await tenant.leads.repro(await leadIdOf(tenant, what))
    : await tenant.leads.reproSubmission(await readSubmission(tenant, what, fill), { scenario })
  console.log(JSON.stringify(file, null, 2))
}

type Call = ControlReply<'listRequests'>['requests'][number]
type Explanation = ControlReply<'explainLead'>

type NearMisses = NonNullable<Call['near_misses']>

/** The fields that the service ignores, since it knows them by another name. */
function misspelt(nearMisses: NearMisses) {
  return ['Probably misspelled', list(nearMisses.map(({ field, message }) => [field, message] as const))] as const
}

const distribution = 'distribution'

/** The decision on a stored lead, for people. */
function storyText(lead: Lead, warnings: Explanation['warnings'], nearMisses: NearMisses): string {
  const { lead_id, status, rejection_reason, received_at, trace, deliveries } = lead
  const outcome = paintOutcome(status, rejection_reason)
  const head = `Lead ${lead_id}, received ${shortTime(received_at)}, is ${outcome}.`
  const blocks = [sections(misspelt(nearMisses)), decisionText(trace, warnings, deliveries)].filter(part => part !== '')
  return [head, ...blocks, ...aboutText(rejection_reason)].join('\n\n')
}

/** The decision on a submission that was not submitted, for people. */
export function explanationText({ would, trace, deliveries, warnings }: Explanation): string {
  const { status, rejection_reason, error, message } = would.body as { [name: string]: string | null | undefined }
  const outcome = status ? paintOutcome(status, rejection_reason) : message
  const head = `The service would respond ${paintStatus(would.status)}, ${outcome}`
  const about = aboutText(rejection_reason, error)
  return [head, decisionText(trace, warnings, deliveries), ...about].join('\n\n')
}

/** The page about the reason or the error code that the service replies with. */
function aboutText(reason?: string | null, error?: string | null): string[] {
  const page = reason ? docUrl('rejections', reason) : errorCodeDocUrl(error)
  return page ? [`About it: ${page}`] : []
}

function decisionText(
  trace: Lead['trace'],
  warnings: Explanation['warnings'],
  deliveries: Explanation['deliveries'] = [],
): string {
  const isReached = ({ verdict, hint }: Lead['trace'][number]) => verdict !== 'skipped' || hint !== undefined
  const reached = trace.filter(isReached)
  const left = trace.filter(step => !isReached(step)).map(({ check }) => check)
  const checks = reached.map(({ check, verdict, input, threshold }) => [
    check,
    paintValue(verdict),
    // The decisions of the advertisers are in their own table.
    input === undefined || check === distribution ? undefined : plain(input),
    threshold === undefined ? undefined : cuttable(plain(threshold)),
  ])
  const hints = reached.filter(({ hint }) => hint !== undefined).map(({ check, hint }) => [check, hint] as const)
  const decisions = deliveries.map(({ name, decision, reasons }) => [name, paintValue(decision), reasons.join('; ')])
  return sections(
    ['Checks', table(['check', 'verdict', 'given', 'wanted'], checks, '')],
    ['Hints', list(hints)],
    ['Checks that were not reached', left.join(', ')],
    ['Advertisers', table(['advertiser', 'decision', 'because'], decisions, '')],
    ['Other services may decide differently', warnings.map(warning).join('\n')],
  )
}

function warning(each: Explanation['warnings'][number]): string {
  const { interpretation, other_interpretation, would } = each
  return `${paint('yellow', each.switch)} is ${interpretation} here; with ${other_interpretation} the service would ${would}`
}

/** `lead-sandbox repro`: what `leads repro` printed, decided again. */
export function describeRepro(command: Command): void {
  const run = command
    .command('run')
    .description('Make the decision of a repro file again, in memory. Ends with 1 if it is another one.')
    .argument('<file>', 'the output of leads repro; - for stdin')
    .addHelpText('after', '\nIt calls no sandbox and stores nothing.\n\nExample:\n  $ lead-sandbox repro run bug.json')
  run.action(() => runFile(run.processedArgs[0]))
}

async function runFile(file: string): Promise<void> {
  // Loaded here: it brings the rules.
  const { maxReproBytes, runRepro } = await import('@lead-distribution/simulator/repro')
  const result = await runRepro(new TextEncoder().encode(await readInput(file, maxReproBytes)))
  if (result.issues) {
    const wrong = result.issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
    throw new CommandError(`${file} is not a repro file: ${wrong}. Make one: lead-sandbox leads repro LEAD_ID.`)
  }
  const { got, difference } = result
  console.log(explanationText({ ...got, warnings: [] }))
  if (difference) {
    console.log(`\n${differenceText(difference)}`)
    throw new CommandError(`The decision differs from the one in ${file}, first at: ${difference.at}.`)
  }
  console.log(`\nThe decision is the same as in ${file}.`)
}

/** The first difference, field by field. */
function differenceText({ expected, got }: ReproDifference): string {
  const [before, now] = [Object(expected), Object(got)]
  const rows = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter(name => name !== 'hint' && plain(before[name]) !== plain(now[name]))
    .map(name => [name, text(before[name]), text(now[name])])
  return table(['differs', 'expected', 'got'], rows)
}

const text = (value: unknown) => (value === undefined ? undefined : plain(value))
