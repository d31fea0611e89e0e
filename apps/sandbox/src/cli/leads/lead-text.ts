import { callbackTable } from '../callbacks/callback-text.ts'
import type { Reply } from '../connection/session.ts'
import { cuttable } from '../printing/fit-columns.ts'
import { withNext } from '../printing/next-page.ts'
import { paintWord } from '../printing/paint.ts'
import { list, sections, table } from '../printing/table.ts'
import { shortTime } from '../printing/time.ts'

type Lead = Reply<'showLead'>

/** Leads as a table. */
export function leadTable({ leads, next }: Reply<'listLeads'>): string {
  if (leads.length === 0) return 'No leads.'
  const rows = leads.map(lead => [
    lead.lead_id,
    paintWord(lead.status),
    lead.rejection_reason,
    cuttable(emailOf(lead) ?? ''),
    shortTime(lead.received_at),
  ])
  return withNext(table(['lead', 'outcome', 'reason', 'e-mail', 'received (UTC)'], rows), next)
}

/** A lead with all that belongs to it; its trace is told by `leads explain`. */
export function leadText(lead: Lead): string {
  const { deliveries, events, callbacks } = lead
  const about = list([
    ['lead_id', lead.lead_id],
    ['outcome', [paintWord(lead.status), lead.rejection_reason].filter(word => word).join(': ')],
    ['e-mail', emailOf(lead)],
    ['product_id', lead.product_id],
    ['received (UTC)', shortTime(lead.received_at)],
    ['redirect_url', lead.redirect_url],
  ])
  const asked = deliveries.map(({ name, decision, postback_url }) => [name, paintWord(decision), postback_url])
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

/** The customer's e-mail address: a submission that was kept has one. */
function emailOf({ submission }: Lead): string | undefined {
  const { customer } = submission as { customer?: { contact?: { email?: { address?: string } } } }
  return customer?.contact?.email?.address
}
