import {
  canonicalUuid,
  type FieldIssue,
  isUuid,
  type PixelEvent,
  type StatusMetadata,
} from '@lead-distribution/contract'
import { textDistance } from '@lead-distribution/contract/diagnostics'
import type { CallMeta, CallResult } from '@lead-distribution/sdk-core'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** A status report before the check. */
interface ReportToCheck {
  status: string
  advertiser_id?: unknown
  metadata?: unknown
}

const knownFigures = { amount: 1, term_months: 1 } satisfies Known<StatusMetadata>
const knownFields = { status: 1, advertiser_id: 1, metadata: knownFigures } satisfies Known<ReportToCheck>

/**
 * Refuses unknown fields of a report. Its metadata may have other fields, but not a known one that is misspelled.
 * @throws ConfigError a field is unknown or misspelled.
 */ // Spec 4.2
function checkFields(report: ReportToCheck): void {
  const { metadata, ...others } = Object(report)
  checkOptions('The report', typeof report === 'object' ? others : report, knownFields)
  for (const name in Object(metadata)) {
    if (!Object.hasOwn(knownFigures, name) && Object.keys(knownFigures).some(figure => isMisspelled(name, figure)))
      checkOptions('The report', { metadata: { [name]: 1 } }, knownFields)
  }
}

/** Returns true if a name is another spelling of a known one, or at most one letter away. */
function isMisspelled(name: string, known: string): boolean {
  const [given, meant] = [name, known].map(each => each.replace(/[^a-z0-9]/gi, '').toLowerCase()) as [string, string]
  return Math.abs(given.length - meant.length) <= 1 && textDistance(given, meant) <= 1
}

/**
 * Converts a status report to JSON text.
 * @throws ConfigError a field is unknown, or one of the metadata is misspelled.
 * @throws ValidationError it fails the check, or is not JSON-serializable.
 */
export function reportBody(leadId: string, report: ReportToCheck, statuses: readonly string[] | undefined): string {
  let body = ''
  let issues: FieldIssue[]
  try {
    checkFields(report)
    const { status, advertiser_id, metadata } = report ?? {}
    const plain = { status, advertiser_id, metadata }
    issues = reportIssues(leadId, plain, statuses)
    // Checks what is sent: a getter may return another value the second time.
    if (issues.length === 0) {
      body = JSON.stringify(plain)
      issues = reportIssues(leadId, JSON.parse(body), statuses)
    }
  } catch (error) {
    if (ConfigError.is(error)) throw error
    // A bigint, a cycle, or a getter that throws; the runtime's own error may repeat values of the report.
    issues = [{ field: 'body', issue: 'must be JSON-serializable' }]
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return body
}

/** Returns the issues of a status report, field by field, as the service reports them. */ // Spec 4.2, 2.13
export function reportIssues(
  leadId: string,
  report: ReportToCheck,
  statuses: readonly string[] | undefined,
): FieldIssue[] {
  const { status, advertiser_id, metadata } = report ?? {}
  const issues: FieldIssue[] = []
  const expect = (fine: boolean, field: string, issue: string) => fine || issues.push({ field, issue })
  const required = status === undefined ? 'is required' : undefined
  const uuid = 'must be a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
  expect(isText(leadId) && isUuid(leadId), 'lead_id', uuid)
  if (statuses) expect(statuses.includes(status), 'status', required ?? `must be one of ${statuses.join(', ')}`)
  else
    expect(
      isText(status) && status !== '',
      'status',
      required ?? (isText(status) ? 'must not be empty' : 'must be a string'),
    )
  if (advertiser_id !== undefined) expect(isText(advertiser_id) && isUuid(advertiser_id), 'advertiser_id', uuid)
  if (metadata === undefined) return issues
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return [...issues, { field: 'metadata', issue: 'must be an object' }]
  const { amount, term_months } = metadata as StatusMetadata
  expect(amount === undefined || Number.isFinite(amount), 'metadata.amount', 'must be a number')
  expect(term_months === undefined || Number.isSafeInteger(term_months), 'metadata.term_months', 'must be an integer')
  return issues
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

interface Answered {
  /** HTTP status, harmless headers, attempts, id and duration of the call. */
  meta: CallMeta & { status: number }
  /** The response body as received, including fields that this version doesn't know. */
  raw: Readonly<Record<string, unknown>>
}

/** A successful response that this version doesn't know, or that names another lead; look at `raw`. */
export interface UnrecognizedReport extends Answered {
  /** The response has a status or fields that this version doesn't know. */
  outcome: 'unrecognized'
  /** Id of the lead; null if the response has none. */
  lead_id: string | null
  /** The status as received; null if the response has none. */
  status: string | null
}

/** The status was reported. The service does not distinguish a repeat from a first report here. */ // Spec 4.2
export interface StatusReported extends Answered {
  /** The service accepted the status. */
  outcome: 'reported'
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The status, as the service confirmed it. */
  status: string
}

/** The event was recorded (`received`), or had been before (`ignored`: a harmless repeat). */ // Spec 4.3
export interface EventReported extends Answered {
  /** The event was recorded, or had been before. */
  outcome: 'received' | 'ignored'
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The event, by its name in the pixel's enumeration. A newer service may have more events. */
  event: PixelEvent | (string & Record<never, never>)
}

/** The result of a status report. */
export type StatusResult = StatusReported | UnrecognizedReport

/** The result of a fired event. */
export type EventResult = EventReported | UnrecognizedReport

/** Reads the response to a status report. */ // Spec 4.2
export function readStatus({ body, meta }: CallResult, reported: string): StatusResult {
  const [lead_id, status] = [leadIdOf(body), textOf(body.status)]
  return isLead(lead_id, reported) && status !== null
    ? { outcome: 'reported', lead_id, status, meta, raw: body }
    : { outcome: 'unrecognized', lead_id, status, meta, raw: body }
}

/** Reads the response to a fired event. */ // Spec 4.3
export function readEvent({ body, meta }: CallResult, reported: string): EventResult {
  const [lead_id, status, event] = [leadIdOf(body), textOf(body.status), textOf(body.event)]
  return isLead(lead_id, reported) && event !== null && (status === 'received' || status === 'ignored')
    ? { outcome: status, lead_id, event, meta, raw: body }
    : { outcome: 'unrecognized', lead_id, status, meta, raw: body }
}

/** Returns true if a response names the reported lead: another server or a cache may have responded. */
function isLead(lead_id: string | null, reported: string): lead_id is string {
  return lead_id === canonicalUuid(reported)
}

/** Returns the id in a response in lower case, as the publisher's side has it too. */
function leadIdOf({ lead_id }: CallResult['body']): string | null {
  const id = textOf(lead_id)
  return id && canonicalUuid(id)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
