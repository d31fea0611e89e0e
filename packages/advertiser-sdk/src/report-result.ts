import type { EventOutcome, PixelEvent } from '@lead-distribution/contract'
import type { CallResult, Open, ReplyMeta } from '@lead-distribution/sdk-core'

interface Replied {
  /** HTTP status, harmless headers, attempts, id and duration of the call. */
  meta: ReplyMeta
  /** The reply as it came; fields that are new here are found in it. */
  raw: Readonly<Record<string, unknown>>
}

/** A reply that this version does not know, or that names another lead; look at `raw`. The service did answer, and with success. */
export interface UnrecognizedReport extends Replied {
  /** The service answered what this version does not know. */
  outcome: 'unrecognized'
  /** Id of the lead, where the reply showed one. */
  lead_id: string | null
  /** The status as it came; null where the reply showed none. */
  status: string | null
}

/** The status is reported; the service does not distinguish a repeat from a first report here. */ // Spec 4.2
export interface StatusReported extends Replied {
  /** The service took the status. */
  outcome: 'reported'
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The status, as the service repeats it. */
  status: string
}

/** The event is recorded (`received`), or it was already (`ignored`: a repeat, no harm). */ // Spec 4.3
export interface EventReported extends Replied {
  /** The event was recorded, or was there already. */
  outcome: EventOutcome
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The event, by the name of the pixel's enumeration; a newer service may know more. */
  event: Open<PixelEvent>
}

/** The result of a status report. */
export type StatusResult = StatusReported | UnrecognizedReport

/** The result of a fired event. */
export type EventResult = EventReported | UnrecognizedReport

/** Reads the reply of the JSON form to the report of a lead. */ // Spec 4.2
export function readStatus({ body, meta }: CallResult, reported: string): StatusResult {
  const [lead_id, status] = [textOf(body.lead_id), textOf(body.status)]
  return isLead(lead_id, reported) && status !== null
    ? { outcome: 'reported', lead_id, status, meta, raw: body }
    : { outcome: 'unrecognized', lead_id, status, meta, raw: body }
}

/** Reads the reply of the pixel to the event of a lead. */ // Spec 4.3
export function readEvent({ body, meta }: CallResult, reported: string): EventResult {
  const [lead_id, status, event] = [textOf(body.lead_id), textOf(body.status), textOf(body.event)]
  return isLead(lead_id, reported) && event !== null && (status === 'received' || status === 'ignored')
    ? { outcome: status, lead_id, event, meta, raw: body }
    : { outcome: 'unrecognized', lead_id, status, meta, raw: body }
}

/** Whether a reply names the lead that was reported: another server, or a cache, may have answered. */
function isLead(lead_id: string | null, reported: string): lead_id is string {
  return lead_id?.toLowerCase() === reported.toLowerCase()
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
