import {
  basePath,
  type ErrorResponse,
  type FieldIssue,
  isUuid,
  knownStatuses,
  type LeadResponse,
} from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import type { TraceStep } from '@lead-distribution/engine'
import type { Call } from '@lead-distribution/http'
import type { RequestEntry } from '../journal/journal.ts'
import type { ServiceResponse } from './responses.ts'

/** A call of the service and its response. */
export interface AnsweredCall {
  readonly call: Call<OperationName>
  readonly response: ServiceResponse
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly at: number
  /** How long it took, milliseconds of real time. */
  readonly ms: number
  readonly fault_id?: string | undefined
}

/** What the journal stores of a call. Values come from names that are ours, never from what was sent. */
export function journalEntry({ call, response, at, ms, fault_id }: AnsweredCall): RequestEntry {
  const { operation, method, params } = call
  const { broken, notes = {} } = response
  const named = isUuid(params.lead_id ?? '') ? params.lead_id : undefined
  const lead_id = (notes.lead_id ?? named)?.toLowerCase()
  const check = notes.trace?.find(({ verdict }) => verdict === 'rejected' || verdict === 'forced')?.check
  const { status, rejection_reason } = response.body as Partial<LeadResponse>
  const { error, details } = response.body as Partial<ErrorResponse>
  const entry: RequestEntry = {
    at,
    operation,
    method,
    path: named === undefined ? pathOf[operation] : pathOf[operation].replace(':lead_id', named),
    status: broken === 'cut' || broken === 'withheld' ? 0 : response.status,
    ms,
    outcome: error ?? notes.event?.outcome ?? String(status),
    warnings: notes.warnings ?? [],
  }
  // Set one by one: every call comes here, and most have few of them.
  if (lead_id !== undefined) entry.lead_id = lead_id
  if (typeof rejection_reason === 'string') entry.reason = rejection_reason
  if (notes.event) entry.event = knownEvent(notes.event.name)
  if (check !== undefined) entry.check = check
  if (notes.trace && notes.lead_id === undefined) entry.trace = notes.trace.map(withoutInput)
  if (notes.near_misses && notes.near_misses.length > 0)
    entry.near_misses = notes.near_misses.slice(0, maxKeptMisses).map(({ field, message }) => ({ field, message }))
  if (details) entry.issues = keptOf(operation === 'reportEvent' ? details.map(withoutForeignName) : details)
  if (fault_id !== undefined) entry.fault_id = fault_id
  if (broken) entry.broken = broken
  return entry
}

/** How many near misses of a call the journal keeps at most. */
const maxKeptMisses = 5

/** A check without the sender's value. The hint of the shape repeats the issues, which are bounded where they are kept. */
function withoutInput({ check, verdict, threshold, hint }: TraceStep): Omit<TraceStep, 'input'> {
  return {
    check,
    verdict,
    ...(threshold === undefined ? {} : { threshold }),
    ...(hint === undefined || check === 'shape' ? {} : { hint }),
  }
}

/** How many issues of a call the journal keeps at most: the response listed more. */
const maxKeptIssues = 20

function keptOf(issues: FieldIssue[]): FieldIssue[] {
  if (issues.length <= maxKeptIssues) return issues
  const kept = maxKeptIssues - 1
  return [
    ...issues.slice(0, kept),
    { field: 'body', issue: `has more issues: the journal keeps the first ${kept} of a call` },
  ]
}

/** The path of each operation, its parameter by its name. */
const pathOf: Readonly<Record<OperationName, string>> = {
  submitLead: `${basePath}${operations.submitLead.path}`,
  reportStatus: `${basePath}${operations.reportStatus.path}`,
  reportEvent: `${basePath}${operations.reportEvent.path}`,
}

/** The name of an event, or `other`: under `status_vocabulary` `any` the name is the sender's choice. */
function knownEvent(event: string): string {
  return (knownStatuses as readonly string[]).includes(event) ? event : 'other'
}

/** The query parameters of the pixel; an issue of another one goes without its name, which is the sender's choice. */
const pixelFields = ['lead_id', 'token', 'event', 'ref']

function withoutForeignName({ field, issue }: { field: string; issue: string }) {
  return { field: pixelFields.includes(field) ? field : 'query', issue }
}
