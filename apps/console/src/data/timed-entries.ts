import type { Callback, TenantControl } from '@lead-distribution/control-client'
import type { Call } from './entries.ts'
import { formatWord } from './format.ts'
import { useRead } from './live.ts'

/** The rows of a time line. */
export const lanes = { lead: 'Leads', report: 'Reports', callback: 'Callbacks' } as const

/** Something that happens at a time of the tenant's clock. */
interface TimedEntry {
  readonly key: string
  readonly at: string
  readonly lane: keyof typeof lanes
  readonly label: string
  readonly lead_id: string
}

/** Something that happened, and how it ended. */
export interface PastEntry extends TimedEntry {
  readonly tone: 'good' | 'bad' | 'info'
  readonly result: string
}

type Agenda = Awaited<ReturnType<TenantControl['clock']['agenda']>>

/** Something that falls due. */
export interface DueEntry extends TimedEntry {
  readonly held?: Agenda['due'][number]['held']
}

/** The number of calls and of callbacks that the past is read from, and the number of entries that are kept. */
const [maxRead, maxPast] = [50, 60]

/** The newest leads, reports and callback attempts of a tenant, newest first. */
export function usePast(): { readonly entries: readonly PastEntry[]; readonly error: unknown } {
  const calls = useRead(['calls', 'past'], control => control.requests.list({ limit: maxRead }))
  const callbacks = useRead(['callbacks', 'past'], control => control.callbacks.list({ limit: maxRead }))
  const entries = [
    ...(calls.data?.requests ?? []).flatMap(call => callEntry(call) ?? []),
    ...(callbacks.data?.callbacks ?? []).flatMap(attemptEntries),
  ]
  entries.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
  return { entries: entries.slice(0, maxPast), error: calls.error ?? callbacks.error }
}

/** Returns the lead or report of a call; undefined for a refused call, which changed nothing. */
function callEntry({ request_id, at, lead_id, event, outcome, reason }: Call): PastEntry | undefined {
  if (lead_id === undefined) return undefined
  const entry = { key: request_id, at, lead_id }
  if (event !== undefined) {
    const tone = outcome === 'received' ? 'good' : 'info'
    return { ...entry, lane: 'report', label: `The advertiser reports ${event}`, tone, result: formatWord(outcome) }
  }
  const tone = outcome === 'distributed' ? 'good' : outcome === 'new' ? 'info' : 'bad'
  return { ...entry, lane: 'lead', label: 'Lead submitted', tone, result: formatWord(reason ?? outcome) }
}

function attemptEntries({ callback_id, lead_id, event, attempts }: Callback): PastEntry[] {
  return attempts.map(({ at, status, error }, place) => ({
    key: `${callback_id} ${place}`,
    at,
    lane: 'callback',
    label: attemptLabel(event, place + 1),
    lead_id,
    tone: status !== undefined && status < 300 ? 'good' : 'bad',
    result: status === undefined ? (error ?? 'No response') : String(status),
  }))
}

const attemptLabel = (event: string, attempt: number) => `Callback for ${event}, attempt ${attempt}`

/** The entries that fall due on a tenant's clock, the next one first, and the number of entries after these. */
export function useUpcoming() {
  const { data, error } = useRead(['agenda'], control => control.clock.agenda())
  const entries = (data?.due ?? []).map(
    ({ type, at, lead_id, event, callback_id, attempts = 0, held }): DueEntry => ({
      key: `${type} ${callback_id ?? event} ${lead_id}`,
      at,
      lane: type,
      label: type === 'callback' ? attemptLabel(event, attempts + 1) : `The advertiser reports ${event}`,
      lead_id,
      held,
    }),
  )
  return { entries, more: data?.more ?? 0, error }
}
