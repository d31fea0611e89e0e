import type { Callback, TenantControl } from '@lead-distribution/control-client'
import { type JournalEntry, type ListedSubmission, pathOf } from './entries.ts'
import { formatWord } from './format.ts'
import { isDelivered } from './lead-history.ts'
import { useRead } from './live.ts'

/** The rows of a time line. */
export const lanes = { lead: 'Leads', report: 'Reports', callback: 'Callbacks' } as const

/** An event at a time on the tenant's clock. */
export interface TimedEntry {
  readonly key: string
  readonly at: string
  readonly lane: keyof typeof lanes
  readonly label: string
  /** The id of its lead, or of the request without a lead. */
  readonly id: string
  /** The path of the page that shows it. */
  readonly to: string
}

/** A past entry with its outcome. */
export interface PastEntry extends TimedEntry {
  readonly tone: 'good' | 'bad' | 'info'
  readonly result: string
}

type Agenda = Awaited<ReturnType<TenantControl['clock']['agenda']>>

/** A due entry. */
export interface DueEntry extends TimedEntry {
  readonly held?: Agenda['due'][number]['held']
}

/** The number of entries in each lane of the past. */
const maxPast = 50

/** The newest leads, reports and callback attempts of a tenant, newest first. */
export function usePast(): { readonly entries: readonly PastEntry[]; readonly error: unknown } {
  const leads = useRead(['leads', 'past'], control => control.submissions.list({ limit: maxPast }))
  // Each kind by itself: leads and requests of the other kind would leave no room.
  const reports = useRead(['requests', 'past'], async control => {
    const lists = (['reportEvent', 'reportStatus'] as const).map(operation =>
      control.requests.list({ operation, limit: maxPast }),
    )
    return (await Promise.all(lists)).flatMap(({ requests }) => requests)
  })
  const callbacks = useRead(['callbacks', 'past'], control => control.callbacks.list({ limit: maxPast }))
  // At equal times, as on a frozen clock, a callback came after its report, and that after its lead.
  const past = [
    (callbacks.data?.callbacks ?? []).flatMap(attemptEntries),
    (reports.data ?? []).flatMap(reportEntries),
    (leads.data?.submissions ?? []).map(leadEntry),
  ]
  const entries = past.flatMap(lane => lane.toSorted(byNewest).slice(0, maxPast)).sort(byNewest)
  return { entries, error: leads.error ?? reports.error ?? callbacks.error }
}

const byNewest = (one: PastEntry, other: PastEntry) => Date.parse(other.at) - Date.parse(one.at)

function leadEntry({ lead_id, request_id, received_at, status, rejection_reason }: ListedSubmission): PastEntry {
  // A rejection that created no lead has only its request.
  const id = lead_id ?? request_id ?? ''
  return {
    key: id,
    at: received_at,
    lane: 'lead',
    label: lead_id === undefined ? 'Rejected without a lead' : 'Lead submitted',
    id,
    to: `../${pathOf({ lead_id, request_id })}`,
    tone: status === 'distributed' ? 'good' : status === 'new' ? 'info' : 'bad',
    result: formatWord(rejection_reason ?? status),
  }
}

/** Returns the report of a request; none for a refused request, which changed nothing. */
function reportEntries({ request_id, at, lead_id, event, outcome }: JournalEntry): PastEntry[] {
  if (lead_id === undefined || event === undefined) return []
  return [
    {
      key: request_id,
      at,
      lane: 'report',
      label: `The advertiser reports ${event}`,
      ...linkTo(lead_id),
      tone: outcome === 'received' ? 'good' : 'info',
      result: formatWord(outcome),
    },
  ]
}

const linkTo = (lead_id: string) => ({ id: lead_id, to: `../leads/${lead_id}` })

/** Returns the attempts of a callback, newest first. */
function attemptEntries({ callback_id, lead_id, event, attempts }: Callback): PastEntry[] {
  const entries = attempts.map(
    ({ at, status, error }, place): PastEntry => ({
      key: `${callback_id} ${place}`,
      at,
      lane: 'callback',
      label: attemptLabel(event, place + 1),
      ...linkTo(lead_id),
      tone: isDelivered({ status }) ? 'good' : 'bad',
      result: status === undefined ? (error ?? 'No response') : String(status),
    }),
  )
  return entries.toReversed()
}

const attemptLabel = (event: string, attempt: number) => `Callback for ${event}, attempt ${attempt}`

/** The due entries on a tenant's clock, soonest first, and the number of further ones. */
export function useUpcoming() {
  const { data, error } = useRead(['agenda'], control => control.clock.agenda())
  const entries = (data?.due ?? []).map(
    ({ type, at, lead_id, event, callback_id, attempts = 0, held }): DueEntry => ({
      key: `${type} ${callback_id ?? event} ${lead_id}`,
      at,
      lane: type,
      label: type === 'callback' ? attemptLabel(event, attempts + 1) : `The advertiser reports ${event}`,
      ...linkTo(lead_id),
      held,
    }),
  )
  return { entries, more: data?.more ?? 0, error }
}
