import {
  canonicalUuid,
  convertedStatus,
  type FieldIssue,
  isUuid,
  type PixelEvent,
  pixelEvents,
  type StatusMetadata,
  type UsageEvent,
  usageEvents,
} from '@lead-distribution/contract'
import { textDistance } from '@lead-distribution/contract/diagnostics'
import type { CallMeta, CallResult } from '@lead-distribution/sdk-core'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/**
 * One of the specification's two vocabularies of event names: `enum` (`approved`, the pixel's enumeration) or `usage`
 * (`loan_issued`). A client uses one of them, so that it doesn't report an event under two names.
 * @category Reports
 */ // Spec 4.3, 6.1
export type Vocabulary = 'enum' | 'usage'

/** The event names of each vocabulary. */
export const eventNames: Readonly<Record<Vocabulary, readonly string[]>> = { enum: pixelEvents, usage: usageEvents }

/** The events that a postback URL of this vocabulary may report. @inline */ // Spec 4.3
export type EventOf<Names extends Vocabulary> = Names extends 'enum' ? PixelEvent : UsageEvent

/** The statuses that a JSON call of this vocabulary may report. @inline */ // Spec 4.2
export type StatusOf<Names extends Vocabulary> = EventOf<Names> | typeof convertedStatus

/** The loan figures that the specification names. @inline */
type Figures = { [Figure in keyof StatusMetadata]: StatusMetadata[Figure] | undefined }

/**
 * A status report.
 * @category Reports
 */ // Spec 4.2
export interface StatusReport<Names extends Vocabulary> {
  /** The status of the lead. */
  status: StatusOf<Names>
  /** Id of the reporting advertiser, a UUID; it must own the API key. */
  advertiser_id?: string | undefined
  /**
   * The loan: `amount` in euros, `term_months` in whole months. Other fields that you agreed on with the operator are
   * sent unchanged; a misspelled `amount` or `term_months` is a ConfigError.
   */
  metadata?: Figures | (Figures & Readonly<Record<string, unknown>>) | undefined
}

const knownFigures = { amount: 1, term_months: 1 } satisfies Known<StatusMetadata>
const knownFields = { status: 1, advertiser_id: 1, metadata: knownFigures } satisfies Known<StatusReport<Vocabulary>>

/**
 * Rejects unknown fields of a report. The metadata may have other fields, unless one is a misspelling of a known field.
 * @throws ConfigError a field is unknown or misspelled.
 */ // Spec 4.2
function checkFields(report: StatusReport<Vocabulary>): void {
  const { metadata, ...others } = Object(report)
  checkOptions('The report', typeof report === 'object' ? others : report, knownFields)
  for (const name in Object(metadata)) {
    if (!Object.hasOwn(knownFigures, name) && Object.keys(knownFigures).some(figure => isMisspelled(name, figure)))
      checkOptions('The report', { metadata: { [name]: 1 } }, knownFields)
  }
}

/** Returns true if a name is a known one in another spelling, or with at most one letter changed. */
function isMisspelled(name: string, known: string): boolean {
  const [given, meant] = [name, known].map(each => each.replace(/[^a-z0-9]/gi, '').toLowerCase()) as [string, string]
  return Math.abs(given.length - meant.length) <= 1 && textDistance(given, meant) <= 1
}

/**
 * Converts a status report to JSON.
 * @throws ConfigError a field is unknown, or a metadata field is misspelled.
 * @throws ValidationError it is invalid or not JSON-serializable.
 */
export function reportBody(leadId: string, report: StatusReport<Vocabulary>, events: readonly string[]): string {
  let body = ''
  let issues: FieldIssue[]
  try {
    checkFields(report)
    const { status, advertiser_id, metadata } = report ?? {}
    const plain = { status, advertiser_id, metadata }
    issues = reportIssues(leadId, plain, events)
    // The check applies to what is sent: a getter may return another value the second time.
    if (issues.length === 0) {
      body = JSON.stringify(plain)
      issues = reportIssues(leadId, JSON.parse(body), events)
    }
  } catch (error) {
    if (ConfigError.is(error)) throw error
    // A bigint, a cycle, or a getter that throws; the runtime's own error may contain values of the report.
    issues = [{ field: 'body', issue: 'must be JSON-serializable' }]
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return body
}

/** Returns the issues of a status report by field, like the service. */ // Spec 4.2, 2.13
function reportIssues(leadId: string, report: StatusReport<Vocabulary>, events: readonly string[]): FieldIssue[] {
  const { status, advertiser_id, metadata } = report ?? {}
  const issues: FieldIssue[] = []
  const expect = (fine: boolean, field: string, issue: string) => fine || issues.push({ field, issue })
  const statuses = [convertedStatus, ...events]
  const uuid = 'must be a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
  const isId = (value: unknown) => typeof value === 'string' && isUuid(value)
  expect(isId(leadId), 'lead_id', uuid)
  expect(
    statuses.includes(status),
    'status',
    status === undefined ? 'is required' : `must be one of ${statuses.join(', ')}`,
  )
  expect(advertiser_id === undefined || isId(advertiser_id), 'advertiser_id', uuid)
  if (metadata === undefined) return issues
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return [...issues, { field: 'metadata', issue: 'must be an object' }]
  const { amount, term_months } = metadata as StatusMetadata
  expect(amount === undefined || Number.isFinite(amount), 'metadata.amount', 'must be a number')
  expect(term_months === undefined || Number.isSafeInteger(term_months), 'metadata.term_months', 'must be an integer')
  return issues
}

interface Answered {
  /** HTTP status, safe headers, attempts, id and duration of the call. */
  meta: CallMeta & { status: number }
  /** The response body as received, including fields that this version doesn't know. */
  raw: Readonly<Record<string, unknown>>
}

/**
 * A successful response that this version doesn't know, or one for another lead; inspect `raw`.
 * @category Results
 */
export interface UnrecognizedReport extends Answered {
  /** The response has a status or fields that this version doesn't know. */
  outcome: 'unrecognized'
  /** Id of the lead; null if the response has none. */
  lead_id: string | null
  /** The status as received; null if the response has none. */
  status: string | null
}

/**
 * The status was reported. Here the service does not distinguish a repeat from a first report.
 * @category Results
 */ // Spec 4.2
export interface StatusReported extends Answered {
  /** The service accepted the status. */
  outcome: 'reported'
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The status as confirmed by the service. */
  status: string
}

/**
 * The event was recorded (`received`), or had been recorded before (`ignored`: a harmless repeat).
 * @category Results
 */ // Spec 4.3
export interface EventReported extends Answered {
  /** `received` if the event was recorded now, `ignored` if it had been recorded before. */
  outcome: 'received' | 'ignored'
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The event's name in the pixel's enumeration. A newer service may send others. */
  event: PixelEvent | (string & Record<never, never>)
}

/**
 * The result of a status report.
 * @category Results
 */
export type StatusResult = StatusReported | UnrecognizedReport

/**
 * The result of a fired event.
 * @category Results
 */
export type EventResult = EventReported | UnrecognizedReport

/** Reads the response to a status report. */ // Spec 4.2
export function readStatus(result: CallResult, reported: string): StatusResult {
  const { lead_id, status, unrecognized } = readFields(result, reported)
  if (lead_id === null || status === null) return unrecognized
  return { outcome: 'reported', lead_id, status, meta: result.meta, raw: result.body }
}

/** Reads the response to a fired event. */ // Spec 4.3
export function readEvent(result: CallResult, reported: string): EventResult {
  const { lead_id, status, event, unrecognized } = readFields(result, reported)
  if (lead_id === null || event === null || (status !== 'received' && status !== 'ignored')) return unrecognized
  return { outcome: status, lead_id, event, meta: result.meta, raw: result.body }
}

/** Reads the fields of a response. The lead id is null if it is not the reported one: a cache may have responded. */
function readFields({ body, meta }: CallResult, reported: string) {
  const [named, status, event] = [textOf(body.lead_id), textOf(body.status), textOf(body.event)]
  // In lower case, like on the publisher's side.
  const lead_id = named && canonicalUuid(named)
  const unrecognized: UnrecognizedReport = { outcome: 'unrecognized', lead_id, status, meta, raw: body }
  return { lead_id: lead_id === canonicalUuid(reported) ? lead_id : null, status, event, unrecognized }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
