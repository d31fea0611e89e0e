import { existsSync } from 'node:fs'
import { docUrl, errorCodeDocUrl, isUuid, leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { Options, TenantControl } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import type { ReproDifference } from '@lead-distribution/simulator/repro'
import { readInput } from '../../read-input.ts'
import { CommandError } from '../exit-codes.ts'
import { argument, byDefault, flag, oneOf } from '../flags.ts'
import {
  cuttable,
  list,
  paint,
  painted,
  paintOutcome,
  paintStatus,
  plain,
  sections,
  shortTime,
  table,
  time,
  withNext,
} from '../printing.ts'
import { group, leadIdOf, localVerb, type Session, verb } from '../run-verb.ts'
import { noFillFlag, scenarioFlag, withOwner } from '../submit.ts'
import { parseJson, wholeNumber } from '../values.ts'
import { callbackTable, outcomeOf } from './callbacks.ts'

const id = argument('<id>', "its lead_id, or its customer's address")

/** The flags that force a submission's outcome or leave it incomplete. */
const submissionFlags = { scenario: scenarioFlag, noFill: noFillFlag }

/** `lead-sandbox explain`, an alias of `lead-sandbox leads explain`. */
export const explain = verb({
  does: 'Explain the decision on a lead, or on a submission without submitting it.',
  takes: {
    lead: argument(
      '<lead>',
      "a lead_id, a customer's address, a request_id from logs tail, a JSON file, or - for stdin",
    ),
    ...submissionFlags,
  },
  examples: ['LEAD_ID', 'ana@example.com', 'r42', 'lead.json', 'lead.json --scenario fraud_suspected'],
  /** Explains a stored lead, by its id or an address; a request in the journal; or the submission in a file. */
  async call(session, { lead, ...flags }) {
    if (isUuid(lead)) return explainKept(session, lead)
    if (requestId.test(lead)) return explainRequest(session, lead)
    if (!lead.includes('@') || existsSync(lead)) return explainFile(session, lead, flags)
    return explainKept(session, await leadIdOf(session.tenant, lead))
  },
})

export const leads = group({
  list: verb({
    does: 'List leads, newest first.',
    takes: {
      status: oneOf(flag('<status>', 'only leads with this outcome'), leadStatuses),
      reason: oneOf(flag('<reason>', 'only leads rejected for this reason'), rejectionReasons),
      email: flag('<address>', 'only leads of this customer'),
      limit: byDefault(flag('<count>', 'the maximum number to list', wholeNumber('limit')), 50),
      before: flag('<id>', 'only those older than this lead'),
    },
    examples: ['--status rejected', '--reason age_restriction', '--json --limit 1'],
    call: ({ tenant }, query) => searchLeads(tenant, query),
    text: leadTable,
  }),
  show: verb({
    does: 'Show a lead with its deliveries, postback URLs, events and callbacks.',
    takes: { id },
    examples: ['LEAD_ID'],
    call: async ({ tenant }, { id }) => tenant.leads.show(await leadIdOf(tenant, id)),
    text: leadText,
  }),
  explain,
  repro: verb({
    does: 'Print the smallest file that reproduces the decision on a lead, or on a submission without submitting it. Placeholders replace all personal data. Run it with lead-sandbox repro run.',
    takes: {
      lead: argument('<lead>', "a lead_id, a customer's address, a JSON file, or - for stdin"),
      ...submissionFlags,
    },
    examples: ['LEAD_ID > bug.json', 'lead.json > bug.json'],
    async call({ tenant }, { lead, scenario, fill }) {
      const isKept = isUuid(lead) || (lead.includes('@') && !existsSync(lead))
      const file = isKept
        ? await tenant.leads.repro(await leadIdOf(tenant, lead))
        : await tenant.leads.reproSubmission(await readSubmission(tenant, lead, fill), { scenario })
      console.log(JSON.stringify(file, null, 2))
    },
  }),
})

type Page = ControlReply<'listLeads'>

type LeadFlags = Options<'listLeads'> & { readonly limit: number }

/** Returns leads up to the limit. A page of a search may have fewer, and still have a next page. */
async function searchLeads(tenant: TenantControl, query: LeadFlags): Promise<Page> {
  const page = await tenant.leads.list(query)
  const missing = query.limit - page.leads.length
  if (page.next === undefined || missing <= 0) return page
  const rest = await searchLeads(tenant, { ...query, limit: missing, before: page.next })
  return { ...rest, leads: [...page.leads, ...rest.leads] }
}

type Lead = ControlReply<'showLead'>

function leadTable({ leads, next }: Page): string {
  const shown =
    table(leads, {
      lead: 'lead_id',
      outcome: painted('status'),
      reason: 'rejection_reason',
      'e-mail': ({ email }) => cuttable(email),
      'received (UTC)': time('received_at'),
    }) || 'No leads.'
  return withNext(shown, next)
}

/** Formats a lead with everything that belongs to it except its trace, which `leads explain` prints. */
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
  const isForwarded = deliveries.some(({ backend }) => backend !== undefined)
  const asked = table(deliveries, {
    advertiser: 'name',
    decision: painted('decision'),
    ...(isForwarded && { 'back end': ({ backend }: Lead['deliveries'][number]) => outcomeOf(backend) }),
    'postback URL': 'postback_url',
  })
  const reported = table(events, {
    event: 'event',
    'reported as': ({ event, reported_as }) => (reported_as === event ? undefined : reported_as),
    via: 'via',
    ref: 'ref',
    'at (UTC)': time('recorded_at'),
  })
  const blocks = sections(
    ['Advertisers', asked],
    ['Events', reported],
    ['Callbacks', callbacks.length > 0 ? callbackTable(callbacks) : undefined],
  )
  return blocks === '' ? about : `${about}\n\n${blocks}`
}

const requestId = /^r\d{1,15}$/

/** A request that stored a lead is explained by the lead; for any other, the journal has the decision. */
async function explainRequest(session: Session, id: string): Promise<void> {
  const request = await session.tenant.requests.show(id)
  if (request.operation === 'submitLead' && request.lead_id !== undefined) return explainKept(session, request.lead_id)
  session.print(request, requestText)
}

/** Formats a request from the journal for people: its decision if there is one, otherwise its errors. */
function requestText(request: Request): string {
  const {
    request_id,
    operation,
    status,
    outcome,
    reason,
    trace = [],
    issues = [],
    near_misses = [],
    warnings,
  } = request
  const head = `Request ${request_id}, ${operation}, got ${paintStatus(status)}, ${paintOutcome(outcome, reason)}.`
  const blocks = sections(
    ['Affected by the fault', request.fault_id],
    ['Issues', list(issues.map(({ field, issue }) => [field, issue] as const))],
    misspelt(near_misses),
  )
  const about = aboutText(outcome === 'rejected' ? reason : undefined, outcome)
  return [head, blocks, decisionText(trace, warnings), ...about].filter(part => part !== '').join('\n\n')
}

async function explainKept({ tenant, print }: Session, id: string): Promise<void> {
  const lead = await tenant.leads.show(id)
  // Warnings and ignored fields are in the journal, with the request that submitted the lead.
  const { requests } = await tenant.requests.list({ leadId: id, operation: 'submitLead' })
  const warnings = requests.flatMap(request => request.warnings)
  const nearMisses = requests.flatMap(({ near_misses = [] }) => near_misses)
  print(lead, () => storyText(lead, warnings, nearMisses))
}

interface SubmissionFlags {
  readonly scenario: string | undefined
  readonly fill: boolean
}

async function explainFile(
  { tenant, print }: Session,
  file: string,
  { scenario, fill }: SubmissionFlags,
): Promise<void> {
  print(await tenant.leads.explain(await readSubmission(tenant, file, fill), { scenario }), explanationText)
}

async function readSubmission(tenant: TenantControl, file: string, fill: boolean): Promise<unknown> {
  const content = await readInput(file)
  return parseJson(fill ? withOwner(content, await tenant.show()) : content, file)
}

type Request = ControlReply<'listRequests'>['requests'][number]
type Explanation = ControlReply<'explainLead'>

type NearMisses = NonNullable<Request['near_misses']>

/** Returns the fields that the service ignores but knows under another name. */
function misspelt(nearMisses: NearMisses) {
  return ['Probably misspelled', list(nearMisses.map(({ field, message }) => [field, message] as const))] as const
}

const distribution = 'distribution'

/** Formats the decision on a stored lead for people. */
function storyText(lead: Lead, warnings: Explanation['warnings'], nearMisses: NearMisses): string {
  const { lead_id, status, rejection_reason, received_at, trace, deliveries } = lead
  const outcome = paintOutcome(status, rejection_reason)
  const head = `Lead ${lead_id}, received ${shortTime(received_at)}, is ${outcome}.`
  const blocks = [sections(misspelt(nearMisses)), decisionText(trace, warnings, deliveries)].filter(part => part !== '')
  return [head, ...blocks, ...aboutText(rejection_reason)].join('\n\n')
}

/** Formats the decision on a submission without submitting it, for people. */
export function explanationText({ would, trace, deliveries, warnings }: Explanation): string {
  const { status, rejection_reason, error, message } = would.body as { [name: string]: string | null | undefined }
  const outcome = status ? paintOutcome(status, rejection_reason) : message
  const head = `The service would respond ${paintStatus(would.status)}, ${outcome}`
  const about = aboutText(rejection_reason, error)
  return [head, decisionText(trace, warnings, deliveries), ...about].join('\n\n')
}

/** Returns a link to the page about the reason or error code in the reply. */
function aboutText(reason?: string | null, error?: string | null): string[] {
  const page = reason ? docUrl('rejections', reason) : errorCodeDocUrl(error)
  return page ? [`See ${page}`] : []
}

function decisionText(
  trace: Lead['trace'],
  warnings: Explanation['warnings'],
  deliveries: Explanation['deliveries'] = [],
): string {
  const isReached = ({ verdict, hint }: Lead['trace'][number]) => verdict !== 'skipped' || hint !== undefined
  const reached = trace.filter(isReached)
  const left = trace.filter(step => !isReached(step)).map(({ check }) => check)
  const hints = reached.filter(({ hint }) => hint !== undefined).map(({ check, hint }) => [check, hint] as const)
  const checks = table(reached, {
    check: 'check',
    verdict: painted('verdict'),
    // The advertisers' decisions have their own table.
    given: ({ check, input }) => (check === distribution ? undefined : text(input)),
    wanted: ({ threshold }) => (threshold === undefined ? undefined : cuttable(plain(threshold))),
  })
  const decisions = table(deliveries, {
    advertiser: 'name',
    decision: painted('decision'),
    because: ({ reasons }) => reasons.join('; '),
  })
  return sections(
    ['Checks', checks],
    ['Hints', list(hints)],
    ['Checks that were not reached', left.join(', ')],
    ['Advertisers', decisions],
    ['Other services may decide differently', warnings.map(warning).join('\n')],
  )
}

function warning(each: Explanation['warnings'][number]): string {
  const { interpretation, other_interpretation, would } = each
  return `${paint('yellow', each.switch)} is ${interpretation} here; with ${other_interpretation} the service would ${would}`
}

/** `lead-sandbox repro`: repeats the decision of a file printed by `leads repro`. */
export const repro = group({
  run: localVerb({
    does: 'Repeat the decision of a repro file in memory. Exits with 1 if it differs.',
    takes: { file: argument('<file>', 'the output of leads repro; - for stdin') },
    notes: 'It calls no sandbox and stores nothing.',
    examples: ['bug.json'],
    call: ({ file }) => runFile(file),
  }),
})

async function runFile(file: string): Promise<void> {
  // Loaded here, because it includes the rules.
  const { maxReproBytes, runRepro } = await import('@lead-distribution/simulator/repro')
  const result = await runRepro(new TextEncoder().encode(await readInput(file, maxReproBytes)))
  if (result.issues) {
    const wrong = result.issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
    throw new CommandError(`${file} is not a repro file: ${wrong}. Create one: lead-sandbox leads repro LEAD_ID.`)
  }
  const { got, difference } = result
  console.log(explanationText({ ...got, warnings: [] }))
  if (difference) {
    console.log(`\n${differenceText(difference)}`)
    throw new CommandError(`The decision differs from the one in ${file}, first at: ${difference.at}.`)
  }
  console.log(`\nThe decision is the same as in ${file}.`)
}

/** Returns the first difference, field by field. */
function differenceText({ expected, got }: ReproDifference): string {
  const [before, now] = [Object(expected), Object(got)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const differing = names.filter(name => name !== 'hint' && plain(before[name]) !== plain(now[name]))
  return table(differing, { differs: String, expected: name => text(before[name]), got: name => text(now[name]) })
}

const text = (value: unknown) => (value === undefined ? undefined : plain(value))
