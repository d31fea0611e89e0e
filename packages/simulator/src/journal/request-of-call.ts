import { type ErrorResponse, isUuid, knownStatuses, type LeadResponse } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import type { Answer } from '@lead-distribution/engine'
import type { Call, CallReply } from '@lead-distribution/http'
import type { RequestRecord } from './request-record.ts'

/** A call that was answered, and what the journal cannot see of it. */
export interface AnsweredCall {
  readonly call: Call<OperationName>
  readonly reply: Answer & CallReply
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
  const recorded = report?.recorded ? 'received' : 'ignored'
  return {
    at,
    operation,
    method,
    path: operations[operation].path.replace(':lead_id', named ?? ':lead_id'),
    status: broken === 'cut' || broken === 'withheld' ? 0 : reply.status,
    ms,
    ...(lead_id !== undefined && { lead_id }),
    outcome: error ?? (report ? recorded : String(status)),
    ...(typeof rejection_reason === 'string' && { reason: rejection_reason }),
    ...(report && { event: ownWord(report.event) }),
    ...(check !== undefined && { check }),
    ...(details && { issues: operation === 'reportEvent' ? details.map(withoutForeignName) : details }),
    warnings,
    ...(fault_id !== undefined && { fault_id }),
    ...(broken && { broken }),
  }
}

/** The name of an event, or that it is one of the caller's own: under `status_vocabulary` `any` it may say anything. */
function ownWord(event: string): string {
  return (knownStatuses as readonly string[]).includes(event) ? event : 'other'
}

function withoutForeignName({ field, issue }: { field: string; issue: string }) {
  return { field: pixelFields.includes(field) ? field : 'query', issue }
}
