import { basePath, type ErrorResponse, isUuid, knownStatuses, type LeadResponse } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import type { Answer } from '@lead-distribution/engine'
import type { Call, JsonResponse } from '@lead-distribution/http'
import type { RequestRecord } from './request-record.ts'

/** A call that was answered, and what the journal cannot see of it. */
export interface AnsweredCall {
  readonly call: Call<OperationName>
  readonly reply: Answer & JsonResponse
  readonly at: number
  readonly ms: number
  readonly fault_id?: string | undefined
}

/** The query parameters of the pixel; an issue with another one is told without its name, which the caller chose. */
const pixelFields = ['lead_id', 'token', 'event', 'ref']

/** What the journal keeps of a call. Values are taken from the answer's own words, never from what was sent. */
export function requestOfCall({ call, reply, at, ms, fault_id }: AnsweredCall): Omit<RequestRecord, 'number'> {
  const { operation, method, params } = call
  const { broken, warnings = [], report } = reply
  const named = isUuid(params.lead_id ?? '') ? params.lead_id : undefined
  const lead_id = (reply.lead_id ?? named)?.toLowerCase()
  const check = reply.trace?.find(({ verdict }) => verdict === 'rejected' || verdict === 'forced')?.check
  const { status, rejection_reason } = reply.body as Partial<LeadResponse>
  const { error, details } = reply.body as Partial<ErrorResponse>
  const request: Omit<RequestRecord, 'number'> = {
    at,
    operation,
    method,
    path: named === undefined ? pathOf[operation] : pathOf[operation].replace(':lead_id', named),
    status: broken === 'cut' || broken === 'withheld' ? 0 : reply.status,
    ms,
    outcome: error ?? (report ? (report.recorded ? 'received' : 'ignored') : String(status)),
    warnings,
  }
  // Set one by one: this is every call's way, and most have few of them.
  if (lead_id !== undefined) request.lead_id = lead_id
  if (typeof rejection_reason === 'string') request.reason = rejection_reason
  if (report) request.event = ownWord(report.event)
  if (check !== undefined) request.check = check
  if (details) request.issues = operation === 'reportEvent' ? details.map(withoutForeignName) : details
  if (fault_id !== undefined) request.fault_id = fault_id
  if (broken) request.broken = broken
  return request
}

/** The path of each operation, its parameter by its name. */
const pathOf: Readonly<Record<OperationName, string>> = {
  submitLead: `${basePath}${operations.submitLead.path}`,
  reportStatus: `${basePath}${operations.reportStatus.path}`,
  reportEvent: `${basePath}${operations.reportEvent.path}`,
}

/** The name of an event, or that it is one of the caller's own: under `status_vocabulary` `any` it may say anything. */
function ownWord(event: string): string {
  return (knownStatuses as readonly string[]).includes(event) ? event : 'other'
}

function withoutForeignName({ field, issue }: { field: string; issue: string }) {
  return { field: pixelFields.includes(field) ? field : 'query', issue }
}
