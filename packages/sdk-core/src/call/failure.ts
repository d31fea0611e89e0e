import type { FieldIssue } from '@lead-distribution/contract'
import type { FailureKind } from './retry-table.ts'

/** What went wrong with one attempt. */
export interface Failure {
  kind: FailureKind
  /** In a few words, for messages and events; never the words of a runtime's error or of a reply. */
  why: string
  /** HTTP status, where there was a reply. */
  status: number | null
  /** The service's error code, where it showed one. */
  error: string | null
  /** The service's issues. */
  details: readonly FieldIssue[]
  /** The fields of the issues, for a message. */
  fields: string
  /** What the service asked to wait, milliseconds. */
  retryAfterMs: number | null
}
