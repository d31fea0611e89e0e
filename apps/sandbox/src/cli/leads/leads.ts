import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { callbackTable } from '../callbacks/callback-text.ts'
import { paintValue } from '../printing/paint.ts'
import { shortTime, withNext } from '../printing/printing.ts'
import { cuttable, list, sections, table } from '../printing/table.ts'
import { sandboxVerb } from '../sandbox-verb.ts'
import { wholeNumber } from '../values.ts'
import { explain } from './explain.ts'
import { leadIdOf } from './lead-id.ts'
import { noFillFlag, scenarioFlag } from './submit.ts'

/** `lead-sandbox leads`. */
export function describeLeads(command: Command): void {
  command.helpCommand(false)
  const shown = command
    .command('list')
    .description('List leads, newest first.')
    .addOption(new Option('--status <status>', 'only those of this outcome').choices(leadStatuses))
    .addOption(new Option('--reason <reason>', 'only those rejected for this').choices(rejectionReasons))
    .option('--email <address>', 'only those of this customer')
    .addOption(new Option('--limit <count>', 'at most so many').argParser(wholeNumber('limit')).default(50))
    .option('--before <id>', 'only those older than this lead')
  sandboxVerb<LeadFlags, []>(
    shown,
    ['leads list --status rejected', 'leads list --reason age_restriction', 'leads list --json --limit 1'],
    async ({ tenant, print }, { status, reason, email, limit, before }) =>
      print(await searchLeads(tenant, { status, reason, email, limit, before }), leadTable),
  )
  sandboxVerb<unknown, [string]>(
    command
      .command('show')
      .description('Show a lead with its deliveries, postback URLs, events and callbacks.')
      .argument('<id>', 'its lead_id, or the address of its customer'),
    ['leads show LEAD_ID'],
    async ({ tenant, print }, _flags, id) => print(await tenant.leads.show(await leadIdOf(tenant, id)), leadText),
  )
  sandboxVerb(
    command
      .command('explain')
      .description('Explain the decision on a lead, or the one on a submission that stays unsubmitted.')
      .argument('<lead>', "a lead_id, a customer's address, a call of logs tail, a JSON file, or - for stdin")
      .addOption(scenarioFlag())
      .addOption(noFillFlag()),
    [
      'leads explain LEAD_ID',
      'leads explain ana@example.com',
      'leads explain r42',
      'leads explain lead.json',
      'leads explain lead.json --scenario fraud_suspected',
    ],
    explain,
  )
}

type Page = ControlReply<'listLeads'>

type LeadFlags = ControlInput<'listLeads'> & { readonly limit: number }

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
  if (leads.length === 0) return 'No leads.'
  const rows = leads.map(lead => [
    lead.lead_id,
    paintValue(lead.status),
    lead.rejection_reason,
    cuttable(emailOf(lead) ?? ''),
    shortTime(lead.received_at),
  ])
  return withNext(table(['lead', 'outcome', 'reason', 'e-mail', 'received (UTC)'], rows), next)
}

/** A lead with all that belongs to it, except its trace, which `leads explain` prints. */
function leadText(lead: Lead): string {
  const { deliveries, events, callbacks } = lead
  const about = list([
    ['lead_id', lead.lead_id],
    ['outcome', [paintValue(lead.status), lead.rejection_reason].filter(part => part).join(': ')],
    ['e-mail', emailOf(lead)],
    ['product_id', lead.product_id],
    ['received (UTC)', shortTime(lead.received_at)],
    ['redirect_url', lead.redirect_url],
  ])
  const asked = deliveries.map(({ name, decision, postback_url }) => [name, paintValue(decision), postback_url])
  const reported = events.map(({ event, reported_as, via, ref, recorded_at }) => [
    event,
    reported_as === event ? undefined : reported_as,
    via,
    ref,
    shortTime(recorded_at),
  ])
  const blocks = sections(
    ['Advertisers', asked.length > 0 ? table(['advertiser', 'decision', 'postback URL'], asked) : undefined],
    ['Events', reported.length > 0 ? table(['event', 'reported as', 'via', 'ref', 'at (UTC)'], reported) : undefined],
    ['Callbacks', callbacks.length > 0 ? callbackTable(callbacks) : undefined],
  )
  return blocks === '' ? about : `${about}\n\n${blocks}`
}

/** The customer's e-mail address, which every stored submission has. */
function emailOf({ submission }: Lead): string | undefined {
  const { customer } = submission as { customer?: { contact?: { email?: { address?: string } } } }
  return customer?.contact?.email?.address
}
