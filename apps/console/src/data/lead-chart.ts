import { canonicalEvent } from '@lead-distribution/contract'
import type { JournalEntry, Lead } from './entries.ts'
import { formatMs, formatWord } from './format.ts'
import { historyOf, isDelivered } from './lead-history.ts'

/** The lanes of a lead's chart, from top to bottom. */
export const chartLanes = {
  publisher: 'Publisher',
  service: 'Service',
  advertiser: 'Advertiser',
  receiver: 'Your receiver',
} as const

/** The name of a lane. */
export type ChartLane = keyof typeof chartLanes

/** A step with a time in a lead's history. */
export interface ChartStep {
  readonly key: string
  readonly lane: ChartLane
  /** Start on the tenant's clock, in milliseconds since 1970. */
  readonly at: number
  /** Its duration in milliseconds; 0 for a moment. */
  readonly ms: number
  readonly tone: 'good' | 'warn' | 'bad' | 'info' | 'plain'
  readonly label: string
  /** A detail after the label, such as a status and a duration. */
  readonly note?: string
  /** True for a step that is not due yet. */
  readonly isDue?: boolean
  /** The step that caused it. */
  readonly cause?: string
}

/** Returns the steps of a lead and of the requests that submitted it, without personal data. */
export function stepsOf(lead: Lead, submissions: readonly JournalEntry[]): readonly ChartStep[] {
  const receivedAt = Date.parse(lead.received_at)
  return [
    ...submissionSteps(receivedAt, submissions),
    {
      key: 'decision',
      lane: 'service',
      at: receivedAt,
      ms: 0,
      tone: lead.status === 'rejected' ? 'bad' : lead.status === 'new' ? 'info' : 'good',
      label: formatWord(lead.status),
      ...(lead.rejection_reason !== undefined && { note: formatWord(lead.rejection_reason).toLowerCase() }),
      cause: 'submission 0',
    },
    ...lead.deliveries.flatMap(delivery => offerSteps(receivedAt, delivery)),
    ...callbackSteps(lead),
  ]
}

/** Describes a lead's outcome: `Rejected: age restriction`. */
export function outcomeOfLead({ status, rejection_reason }: Pick<Lead, 'status' | 'rejection_reason'>): string {
  const reason = rejection_reason === undefined ? '' : `: ${formatWord(rejection_reason).toLowerCase()}`
  return `${formatWord(status)}${reason}`
}

/** The requests that submitted a lead. The journal may have dropped the first one, which then has no duration. */
function submissionSteps(receivedAt: number, submissions: readonly JournalEntry[]): ChartStep[] {
  const step = { lane: 'publisher', tone: 'info' } as const
  if (submissions.length === 0) return [{ ...step, key: 'submission 0', at: receivedAt, ms: 0, label: 'Submitted' }]
  return submissions.toReversed().map(({ at, ms, status, broken }, place) => ({
    ...step,
    key: `submission ${place}`,
    at: Date.parse(at),
    ms,
    label: place === 0 ? 'Submitted' : 'Submitted again',
    note: `${broken ? 'response lost' : status} · ${formatMs(ms)}`,
    ...(broken && { tone: 'bad' as const }),
  }))
}

function offerSteps(receivedAt: number, { advertiser_id, name, decision, backend }: Lead['deliveries'][number]) {
  const key = `offer ${advertiser_id}`
  const offer: ChartStep = {
    key,
    lane: 'advertiser',
    at: receivedAt,
    ms: 0,
    tone: decision === 'accepted' ? 'good' : 'plain',
    label: name,
    note: decision,
    cause: 'decision',
  }
  if (!backend) return [offer]
  const { at, status, ms } = backend
  const forward: ChartStep = {
    key: `forward ${advertiser_id}`,
    lane: 'advertiser',
    at: Date.parse(at),
    ms,
    tone: isDelivered(backend) ? 'good' : 'bad',
    label: `Back end of ${name}`,
    note: `${status ?? 'no response'} · ${formatMs(ms)}`,
    cause: key,
  }
  return [offer, forward]
}

/** The reported events, and past and due attempts of their callbacks. */
function callbackSteps(lead: Lead): ChartStep[] {
  return historyOf(lead).flatMap((entry, place): ChartStep[] => {
    if (entry.at === undefined) return []
    const at = Date.parse(entry.at)
    if (entry.kind === 'event') {
      const { event } = entry.event
      return [{ key: eventKey(entry.event), lane: 'advertiser', at, ms: 0, tone: 'info', label: `Reports ${event}` }]
    }
    const { event, synthetic } = entry.callback
    const step = { key: `callback ${place}`, lane: 'receiver', at, label: event } as const
    if (entry.kind === 'waiting') return [{ ...step, ms: 0, tone: 'warn', note: 'due', isDue: true }]
    const { attempt, number } = entry
    const { status, ms } = attempt
    const attempted: ChartStep = {
      ...step,
      ms,
      tone: isDelivered(attempt) ? 'good' : 'bad',
      note: `${status ?? 'no response'} · ${formatMs(ms)}`,
    }
    const reported = lead.events.find(each => canonicalEvent(each.event) === canonicalEvent(event))
    return [number > 1 || synthetic || !reported ? attempted : { ...attempted, cause: eventKey(reported) }]
  })
}

const eventKey = ({ event, advertiser_id }: Lead['events'][number]) => `event ${event} ${advertiser_id}`
