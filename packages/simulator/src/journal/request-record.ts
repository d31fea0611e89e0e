import type { FieldIssue } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import type { PortabilityWarning } from '@lead-distribution/engine'
import type { BrokenResponse } from '@lead-distribution/http'

/**
 * One call of the service as the journal keeps it. It is made of words of ours, names of fields and ids of ours
 * alone: no header, no query and no value of a body is ever copied into it, so nothing needs to be taken out.
 */
export interface RequestRecord {
  /** Its place in the tenant's journal, from 1. */
  number: number
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  operation: OperationName
  method: string
  /** The path of the operation; a `lead_id` stands in it only where it is a UUID. */
  path: string
  /** HTTP status of the reply; 0 where none was sent. */
  status: number
  /** How long it took, milliseconds of real time. */
  ms: number
  /** The lead it is about, where there is one. */
  lead_id?: string
  /** What came of it: a lead status, `received` or `ignored` of an event, or an error code. */
  outcome: string
  /** The reason of a rejection. */
  reason?: string
  /** The canonical name of the event that was reported; `other` where it is none that we know. */
  event?: string
  /** The check that decided, where the lead was refused or its outcome was forced. */
  check?: string
  /** What was wrong with which field. */
  issues?: FieldIssue[]
  /** Where another reading of the specification would have answered otherwise. */
  warnings: PortabilityWarning[]
  /** The fault that disturbed it. */
  fault_id?: string
  /** How the reply was spoilt on its way. */
  broken?: BrokenResponse
}
